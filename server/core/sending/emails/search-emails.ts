import { and, eq, inArray } from "drizzle-orm";

import { apiKeys, type Email, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import type { Direction, DirectedPageRequest } from "#server/core/shared/paging/page.ts";
import { searchByTime, type SearchedTo } from "#server/core/shared/paging/search-by-time.ts";
import { byTime, countSorted } from "#server/core/shared/paging/sorted.ts";

import { type EmailFilters, indexedConditions, unindexedConditions } from "./email-filters.ts";

/** Emails are wide and must be read one by one; these bounds end a page's search after about 250 ms. */
const BOUNDS = { step: 20_000, stepsMax: 5 };

/** An email with the name of the API key that sent it; null if none did. */
export type FoundEmail = Email & { apiKey: string | null };

export type EmailsFound = {
  rows: FoundEmail[];
  /** There are more matches, or the search stopped early. */
  hasMore: boolean;
  /** Where the search stopped; continue from here. */
  searchedTo: SearchedTo | null;
};

/**
 * Returns a page of the company's matching emails, newest first: what was found within the bounds, possibly
 * nothing (paging/search-by-time.ts).
 *
 * @throws Refusal `invalid` for a cursor that is not an email of the company
 */
export async function searchEmails(
  ctx: Context,
  page: DirectedPageRequest,
  filters: EmailFilters,
  bounds = BOUNDS,
): Promise<EmailsFound> {
  const found = await searchByTime(ctx.db, emails, partsOf(ctx, filters), page, bounds);
  const names = await loadKeyNames(ctx, found.rows);
  const rows = found.rows.map((email) => ({
    ...email,
    apiKey: names.get(email.apiKeyId ?? "") ?? null,
  }));
  return { ...found, rows, hasMore: found.hasMore || found.searchedTo !== null };
}

/** @param first the first email of the page */
export function countEmails(
  ctx: Context,
  filters: EmailFilters,
  first: FoundEmail | undefined,
  direction?: Direction,
): Promise<ListCounts | null> {
  return countSorted(ctx.db, emails, byTime(emails, direction), partsOf(ctx, filters), first);
}

const partsOf = (ctx: Context, filters: EmailFilters) => ({
  inList: and(
    eq(emails.companyId, ctx.companyId),
    filters.isTest === null ? undefined : inMode({ isTest: filters.isTest }, emails.isTest),
  )!,
  within: indexedConditions(filters),
  fits: unindexedConditions(filters),
});

async function loadKeyNames(
  { db, companyId }: Context,
  rows: Email[],
): Promise<Map<string, string>> {
  const ids = [...new Set(rows.flatMap(({ apiKeyId }) => apiKeyId ?? []))];
  if (ids.length === 0) return new Map();
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.companyId, companyId), inArray(apiKeys.id, ids)));
  return new Map(keys.map(({ id, name }) => [id, name]));
}
