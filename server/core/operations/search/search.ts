import { and, asc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import {
  admins,
  apiKeys,
  domains,
  emails,
  groups,
  mailboxes,
  webhooks,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isLive } from "#server/core/domains/domains/is-live.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/viewable-mailboxes.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import {
  hasPrivilegeAnywhere,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";

export type SearchResult = {
  kind: "mailbox" | "group" | "domain" | "api_key" | "webhook" | "admin" | "email";
  /** The address of a mailbox or group; otherwise the id. */
  id: string;
  title: string;
  /** A second line; "" for none. */
  detail: string;
};

// Per kind.
const RESULTS_MAX = 5;

type Source = {
  kind: SearchResult["kind"];
  /** Any one of these privileges is enough. */
  needs: Privilege[];
  table: PgTable;
  id: PgColumn;
  companyId: PgColumn;
  title: PgColumn;
  detail?: PgColumn;
  inList?: (callerPrivileges: HeldPrivileges) => SQL | undefined;
};

const sources: Source[] = [
  {
    ...{ kind: "mailbox", needs: ["view_users"], table: mailboxes, companyId: mailboxes.companyId },
    ...{ id: mailboxes.address, title: mailboxes.address, detail: mailboxes.name },
    inList: viewableMailboxes,
  },
  {
    ...{ kind: "group", needs: ["view_groups"], table: groups, companyId: groups.companyId },
    ...{ id: groups.address, title: groups.address, detail: groups.name },
  },
  {
    ...{ kind: "domain", needs: ["api_controls", "domains"], table: domains },
    ...{ companyId: domains.companyId, id: domains.id, title: domains.name },
    inList: () => isLive,
  },
  {
    ...{ kind: "api_key", needs: ["api_controls"], table: apiKeys, companyId: apiKeys.companyId },
    ...{ id: apiKeys.id, title: apiKeys.name, detail: apiKeys.prefix },
    inList: () => isNull(apiKeys.revokedAt),
  },
  {
    ...{ kind: "webhook", needs: ["api_controls"], table: webhooks },
    ...{ companyId: webhooks.companyId, id: webhooks.id, title: webhooks.endpoint },
  },
  {
    ...{ kind: "admin", needs: ["manage_admins"], table: admins, companyId: admins.companyId },
    ...{ id: admins.id, title: admins.email, detail: admins.name },
  },
];

/**
 * Searches the company's objects by a substring of the name or address, or by id; emails only by id. Returns at most
 * five of each kind, and only what the admin can see.
 */
export async function search(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  text: string,
): Promise<SearchResult[]> {
  const wanted = text.replaceAll("\0", "").trim().toLowerCase();
  if (wanted === "") return [];
  const open = sources.filter(({ needs }) =>
    needs.some((need) => hasPrivilegeAnywhere(callerPrivileges, need)),
  );
  const found = await Promise.all([
    ...open.map((source) => searchIn(ctx, callerPrivileges, source, wanted)),
    callerPrivileges.privileges.has("api_controls") ? findEmail(ctx, wanted) : [],
  ]);
  return found.flat();
}

async function searchIn(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { kind, table, id, companyId, title, detail, inList }: Source,
  wanted: string,
): Promise<SearchResult[]> {
  const pattern = containsPattern(wanted);
  const isCalled = (column: PgColumn) => sql`lower(${column}) like ${pattern}`;
  const rows = await ctx.db
    .select({ id, title, detail: detail ?? sql<string>`''` })
    .from(table)
    .where(
      and(
        eq(companyId, ctx.companyId),
        inList?.(callerPrivileges),
        or(
          isCalled(title),
          detail && isCalled(detail),
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
    detail: String(row.detail),
  }));
}

async function findEmail(ctx: Context, wanted: string): Promise<SearchResult[]> {
  if (!isUuid(wanted)) return [];
  const rows = await ctx.db
    .select({ id: emails.id, title: emails.subject })
    .from(emails)
    .where(and(eq(emails.companyId, ctx.companyId), eq(emails.id, wanted)));
  return rows.map(({ id, title }) => ({ kind: "email", id, title, detail: "" }));
}
