import { and, eq, inArray, sql } from "drizzle-orm";

import { emails, type Suppression, suppressions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  containsPattern,
  type DirectedPageRequest,
  type Page,
  pageNewestFirst,
  type PageRequest,
} from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedPage } from "#server/core/shared/paging/search-by-time.ts";

/** Null matches everything. */
export type SuppressionFilters = {
  origin: Suppression["origin"] | null;
  /** Substring of an address; case-insensitive. */
  search: string | null;
};

/**
 * Returns a page of the company's suppression list, newest first, within the bounds of `searchByTime`.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export function searchSuppressions(
  ctx: Context,
  page: DirectedPageRequest,
  filters: SuppressionFilters,
): Promise<SearchedPage<Suppression>> {
  return searchByTime(ctx.db, suppressions, partsOf(ctx, filters), page);
}

function partsOf(ctx: Context, { origin, search }: SuppressionFilters) {
  const inList = eq(suppressions.companyId, ctx.companyId);
  const fits = and(
    origin === null ? undefined : eq(suppressions.origin, origin),
    search === null ? undefined : sql`${suppressions.email} like ${containsPattern(search)}`,
  );
  return { inList, fits };
}

/** Returns the subjects of the emails that caused suppressions, by email id, while they exist. */
export async function subjectsOfSources(
  ctx: Context,
  found: Suppression[],
): Promise<Map<string, string>> {
  const ids = [...new Set(found.flatMap(({ sourceId }) => sourceId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .select({ id: emails.id, subject: emails.subject })
    .from(emails)
    .where(and(eq(emails.companyId, ctx.companyId), inArray(emails.id, ids)));
  return new Map(rows.map(({ id, subject }) => [id, subject]));
}

/**
 * Returns a page of the company's suppression list, newest first, optionally of some origins.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listSuppressions(
  ctx: Context,
  page: PageRequest,
  origins: Suppression["origin"][] | null,
): Promise<Page<Suppression>> {
  const inList = and(
    eq(suppressions.companyId, ctx.companyId),
    origins === null ? undefined : inArray(suppressions.origin, origins),
  );
  const list = pageNewestFirst(ctx.db, suppressions, inList, page);
  return list.read(ctx.db.select().from(suppressions));
}
