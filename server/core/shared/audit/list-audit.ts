import { and, asc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import type { Actor, CompanyScope, Context } from "#server/core/shared/context.ts";
import { containsPattern, type DirectedPageRequest } from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedPage } from "#server/core/shared/paging/search-by-time.ts";
import { storableText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

/** Filters of the audit log. Each lists the nouns that its actions begin with. */
export const AUDIT_AREAS = {
  domains: ["domain"],
  mailboxes: ["mailbox", "alias", "app_password", "mailbox_rules", "mail_import", "unit"],
  groups: ["group", "inbound_address", "inbound"],
  keys: ["api_key"],
  webhooks: ["webhook"],
  sending: ["email", "suppression", "suppressions", "template"],
  held: ["quarantine"],
  team: ["admin", "role", "invitation"],
  sign_in: ["session", "sign_in", "second_factor"],
  company: ["company", "person", "plan", "queue", "setting", "operator"],
} as const;

export type AuditArea = keyof typeof AUDIT_AREAS;

export const AUDIT_AREA_NAMES = Object.keys(AUDIT_AREAS) as [AuditArea, ...AuditArea[]];

export type AuditEntry = typeof auditEntries.$inferSelect;

/** Fields left out don't filter. */
export type AuditFilter = {
  actorKind?: Actor["kind"] | undefined;
  /** The exact name recorded in the entry. */
  actor?: string | undefined;
  area?: AuditArea | undefined;
  /** Part of the actor, action or details, case-insensitive. */
  search?: string | undefined;
  /** Start of the time range, inclusive; `to` is exclusive. */
  from?: string | undefined;
  to?: string | undefined;
};

/**
 * A page of the company's audit log, newest first. If few of a million entries match, the page contains those
 * found so far and `searchedTo` says where the search stopped.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export function listAudit(
  ctx: Context,
  page: DirectedPageRequest,
  filter: AuditFilter = {},
): Promise<SearchedPage<AuditEntry>> {
  return searchByTime(ctx.db, auditEntries, partsOf(ctx, filter), page);
}

function partsOf(ctx: Context, filter: AuditFilter) {
  const { from, to } = filter;
  const inList = eq(auditEntries.companyId, ctx.companyId);
  const within = and(
    from === undefined ? undefined : gte(auditEntries.createdAt, from),
    to === undefined ? undefined : lt(auditEntries.createdAt, to),
  );
  return { inList, within, fits: fits(filter) };
}

function fits({ actorKind, actor, area, search }: AuditFilter): SQL | undefined {
  return and(
    actorKind && eq(auditEntries.actorKind, actorKind),
    actor ? eq(auditEntries.actor, storableText(actor)) : undefined,
    area === undefined
      ? undefined
      : inArray(sql`split_part(${auditEntries.action}, '.', 1)`, [...AUDIT_AREAS[area]]),
    search ? mentions(search) : undefined,
  );
}

const mentions = (search: string) => sql`lower(
  ${auditEntries.actor} || ' ' || ${auditEntries.action} || ' ' || ${auditEntries.details}::text)
  like ${containsPattern(search)}`;

/** All companies, including the appliance's own, by name. */
export const listAuditedCompanies = (db: Db): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: companies.id, name: companies.name })
    .from(companies)
    .orderBy(asc(sql`lower(${companies.name})`), asc(companies.id));

/** Counts the company's audit entries of an action in the last seconds, for limits on rare actions. */
export function countRecentAudits(
  { db, companyId }: CompanyScope,
  action: `${string}.${string}`,
  seconds: number,
): Promise<number> {
  return db.$count(
    auditEntries,
    and(
      eq(auditEntries.companyId, companyId),
      eq(auditEntries.action, action),
      sql`${auditEntries.createdAt} > clock_timestamp() - make_interval(secs => ${seconds})`,
    ),
  );
}
