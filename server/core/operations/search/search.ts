import { and, asc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import {
  addresses,
  admins,
  apiKeys,
  domains,
  groups,
  mailboxes,
  orgUnits,
  roles,
  templates,
  webhooks,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isLive } from "#server/core/domains/domains/require-domain.ts";
import {
  inViewableUnits,
  matchingAddress,
  viewableMailboxes,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { containsWords, isUuid } from "#server/core/shared/paging/pages.ts";
import { NO_FILTERS, searchEmails } from "#server/core/sending/emails/search-emails.ts";
import {
  canReadEmails,
  hasPrivilegeAnywhere,
  hasPrivilegeIn,
  type HeldPrivileges,
} from "#server/core/access/privileges/privileges.ts";
import { storableText } from "#server/core/shared/text.ts";
import { type Privilege, READ_EMAILS, type UnitPrivilege } from "#server/universal/privileges.ts";

export const SEARCH_KINDS = [
  ...(["mailbox", "group", "inbound", "unit", "domain", "api_key", "webhook", "template"] as const),
  ...(["admin", "role", "email"] as const),
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export type SearchResult = {
  kind: SearchKind;
  /** The address of a mailbox, group or inbound address; otherwise the id. */
  id: string;
  title: string;
  /** A second line; "" for none. For a mailbox also the alias or forwarding address that matched. */
  detail: string;
  /** What the admin can do with a mailbox; empty for everything else. */
  actions: MailboxAction[];
};

type Found = Omit<SearchResult, "actions">;
type MailboxAction = "reset_password" | "suspend" | "restore";

// Per kind.
const RESULTS_MAX = 5;
/** Shorter texts are in nearly every email. */
const EMAIL_TEXT_MIN = 3;
/** How many of the newest emails are searched, since no index has their words: about 50 ms. */
const EMAILS_SEARCHED = { step: 20_000, stepsMax: 1 };

type SearchedTable = {
  kind: SearchKind;
  /** Any one of these privileges is enough. */
  needs: Privilege[];
  table: PgTable;
  id: PgColumn;
  companyId: PgColumn;
  title: PgColumn;
  detail?: PgColumn;
  /** Another value that is searched. */
  other?: (text: string) => SQL;
  inList?: (callerPrivileges: HeldPrivileges) => SQL | undefined;
};

const sources: SearchedTable[] = [
  {
    kind: "mailbox",
    needs: ["view_users"],
    table: mailboxes,
    companyId: mailboxes.companyId,
    id: mailboxes.address,
    title: mailboxes.address,
    detail: mailboxes.name,
    other: matchingAddress,
    inList: viewableMailboxes,
  },
  {
    kind: "group",
    needs: ["view_groups"],
    table: groups,
    companyId: groups.companyId,
    id: groups.address,
    title: groups.address,
    detail: groups.name,
  },
  {
    kind: "inbound",
    needs: ["view_groups", ...READ_EMAILS],
    table: addresses,
    companyId: addresses.companyId,
    id: addresses.address,
    title: addresses.address,
    inList: () => eq(addresses.kind, "inbound"),
  },
  {
    kind: "unit",
    needs: ["view_users"],
    table: orgUnits,
    companyId: orgUnits.companyId,
    id: orgUnits.id,
    title: orgUnits.name,
    inList: (callerPrivileges) => inViewableUnits(callerPrivileges, orgUnits.id),
  },
  {
    kind: "domain",
    needs: ["api_controls", "domains"],
    table: domains,
    companyId: domains.companyId,
    id: domains.id,
    title: domains.name,
    inList: () => isLive,
  },
  {
    kind: "api_key",
    needs: ["api_controls"],
    table: apiKeys,
    companyId: apiKeys.companyId,
    id: apiKeys.id,
    title: apiKeys.name,
    detail: apiKeys.prefix,
    inList: () => isNull(apiKeys.revokedAt),
  },
  {
    kind: "webhook",
    needs: ["api_controls"],
    table: webhooks,
    companyId: webhooks.companyId,
    id: webhooks.id,
    title: webhooks.endpoint,
  },
  {
    kind: "template",
    needs: [...READ_EMAILS],
    table: templates,
    companyId: templates.companyId,
    id: templates.id,
    title: templates.name,
    detail: templates.alias,
  },
  {
    kind: "admin",
    needs: ["manage_admins"],
    table: admins,
    companyId: admins.companyId,
    id: admins.id,
    title: admins.email,
    detail: admins.name,
  },
  {
    kind: "role",
    needs: ["manage_admins"],
    table: roles,
    companyId: roles.companyId,
    id: roles.id,
    title: roles.name,
  },
];

/**
 * Searches the company's objects by the words of the name or address, or by id, and the newest emails by recipient,
 * subject or id. Returns at most five of each kind, exact matches first, and only what the admin can see.
 *
 * @param kinds the kinds to search
 */
export async function search(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { text, kinds }: { text: string; kinds: readonly SearchKind[] },
): Promise<SearchResult[]> {
  const wanted = storableText(text).trim().toLowerCase();
  if (wanted === "") return [];
  const open = sources.filter(
    ({ kind, needs }) =>
      kinds.includes(kind) && needs.some((need) => hasPrivilegeAnywhere(callerPrivileges, need)),
  );
  const seesEmails = kinds.includes("email") && canReadEmails(callerPrivileges);
  const found = await Promise.all([
    ...open.map((source) => searchIn(ctx, callerPrivileges, source, wanted)),
    seesEmails && wanted.length >= EMAIL_TEXT_MIN ? findEmails(ctx, wanted) : [],
  ]);
  const isExact = ({ title, detail }: Found) =>
    [title, ...detail.split(" · ")].some((part) => part.toLowerCase() === wanted);
  const sorted = found.flat().toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)));
  return withActions(ctx, callerPrivileges, sorted);
}

async function searchIn(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { kind, table, id, companyId, title, detail, other, inList }: SearchedTable,
  wanted: string,
): Promise<Found[]> {
  const match = other?.(wanted);
  const rows = await ctx.db
    .select({
      id,
      title,
      detail: sql<string>`concat_ws(' · ', nullif(${detail ?? sql`null`}, ''), ${match ?? sql`null`})`,
    })
    .from(table)
    .where(
      and(
        eq(companyId, ctx.companyId),
        inList?.(callerPrivileges),
        or(
          containsWords(detail ? [title, detail] : [title], wanted),
          match && sql`${match} is not null`,
          isUuid(wanted) ? eq(sql`${id}::text`, wanted) : undefined,
        ),
      ),
    )
    // By the position of the match.
    .orderBy(
      sql`position(${wanted} in lower(${title})) = 0`,
      sql`position(${wanted} in lower(${title}))`,
      asc(title),
    )
    .limit(RESULTS_MAX);
  return rows.map((row) => ({
    kind,
    id: String(row.id),
    title: String(row.title),
    detail: row.detail,
  }));
}

async function findEmails(ctx: Context, text: string): Promise<Found[]> {
  const page = { limit: RESULTS_MAX, after: null, before: null };
  const { rows } = await searchEmails(ctx, page, { ...NO_FILTERS, text }, EMAILS_SEARCHED);
  return rows.map(({ id, subject, to }) => ({
    kind: "email",
    id,
    title: subject,
    detail: to[0] ?? "",
  }));
}

/** Adds what the admin can do with each mailbox. */
async function withActions(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  found: Found[],
): Promise<SearchResult[]> {
  const addresses = found.filter(({ kind }) => kind === "mailbox").map(({ id }) => id);
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      unit: mailboxes.orgUnitId,
      suspendedAt: mailboxes.suspendedAt,
    })
    .from(mailboxes)
    .where(and(eq(mailboxes.companyId, ctx.companyId), inArray(mailboxes.address, addresses)));
  const states = new Map(rows.map((row) => [row.address, row]));
  return found.map((one) => {
    const state = one.kind === "mailbox" ? states.get(one.id) : undefined;
    if (!state) return { ...one, actions: [] };
    const may = (privilege: UnitPrivilege) =>
      hasPrivilegeIn(callerPrivileges, privilege, state.unit);
    const actions: MailboxAction[] = [];
    if (may("reset_user_passwords")) actions.push("reset_password");
    if (may("suspend_users")) actions.push(state.suspendedAt === null ? "suspend" : "restore");
    return { ...one, actions };
  });
}
