import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";

import { type Quarantined, quarantine } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

import type { QuarantineReason } from "./visible-reasons.ts";

/**
 * A page of the company's quarantine, newest first.
 *
 * @param reasons reasons to include, which the caller must be allowed to see
 * @param search substring of sender, subject or recipients, case-insensitive; null for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listQuarantine(
  ctx: Context,
  page: PageRequest,
  { reasons, search }: { reasons: QuarantineReason[]; search: string | null },
): Promise<Page<Quarantined>> {
  const inList = and(
    eq(quarantine.companyId, ctx.companyId),
    inArray(quarantine.reason, reasons),
    isNull(quarantine.releasedAs),
    search === null ? undefined : contains(search),
  );
  const list = pageNewestFirst(ctx.db, quarantine, inList, page);
  const rows = await ctx.db
    .select()
    .from(quarantine)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** Joins the fields with line breaks, so that a search doesn't match across two of them. */
function contains(search: string): SQL {
  const { sender, headerFrom, subject, recipients } = quarantine;
  const all = sql`concat_ws(chr(10), ${sender}, ${headerFrom}, ${subject}, array_to_string(${recipients}, chr(10)))`;
  return sql`strpos(lower(${all}), lower(${search.replaceAll("\0", "")})) > 0`;
}
