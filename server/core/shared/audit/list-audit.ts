import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { Actor, Context } from "#server/core/shared/context.ts";
import {
  byTime,
  containsPattern,
  countSorted,
  type DirectedPageRequest,
  type Direction,
  type ListCounts,
  type Page,
} from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedTo } from "#server/core/shared/paging/search-by-time.ts";

import { AUDIT_AREAS, type AuditArea } from "./areas.ts";

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
): Promise<Page<AuditEntry> & { searchedTo: SearchedTo | null }> {
  return searchByTime(ctx.db, auditEntries, partsOf(ctx, filter), page);
}

/** @param first the first entry of the page */
export function countAudit(
  ctx: Context,
  filter: AuditFilter,
  first: AuditEntry | undefined,
  direction?: Direction,
): Promise<ListCounts | null> {
  return countSorted(
    ctx.db,
    auditEntries,
    byTime(auditEntries, direction),
    partsOf(ctx, filter),
    first,
  );
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
    actor ? eq(auditEntries.actor, actor.replaceAll("\0", "")) : undefined,
    area === undefined
      ? undefined
      : inArray(sql`split_part(${auditEntries.action}, '.', 1)`, [...AUDIT_AREAS[area]]),
    search ? mentions(search) : undefined,
  );
}

const mentions = (search: string) => sql`lower(
  ${auditEntries.actor} || ' ' || ${auditEntries.action} || ' ' || ${auditEntries.details}::text)
  like ${containsPattern(search)}`;
