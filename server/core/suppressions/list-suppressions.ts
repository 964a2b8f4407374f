import { and, asc, desc, eq, sql } from "drizzle-orm";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import {
  invalidCursor,
  isUuid,
  type Page,
  type PageRequest,
  pageOf,
} from "#server/core/paging/page.ts";

/**
 * A page of the company's suppression list, newest first; of one origin when it is given.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listSuppressions(
  ctx: Context,
  page: PageRequest,
  origin: Suppression["origin"] | null,
): Promise<Page<Suppression>> {
  const inList = and(
    eq(suppressions.companyId, ctx.companyId),
    origin === null ? undefined : eq(suppressions.origin, origin),
  );
  const cursor = page.after ?? page.before;
  const from = cursor === null ? null : await positionOf(ctx, cursor, inList);
  const place = sql`(${suppressions.createdAt}, ${suppressions.id})`;
  const backwards = page.before !== null;
  const beyond =
    from && sql`${place} ${sql.raw(backwards ? ">" : "<")} (${from.createdAt}, ${from.id})`;
  const direction = backwards ? asc : desc;
  const rows = await ctx.db
    .select()
    .from(suppressions)
    .where(and(inList, beyond ?? undefined))
    .orderBy(direction(suppressions.createdAt), direction(suppressions.id))
    .limit(page.limit + 1);
  return pageOf(rows, page);
}

async function positionOf(ctx: Context, id: string, inList: ReturnType<typeof and>) {
  if (!isUuid(id)) throw invalidCursor();
  const [found] = await ctx.db
    .select({ createdAt: suppressions.createdAt, id: suppressions.id })
    .from(suppressions)
    .where(and(eq(suppressions.id, id), inList));
  if (!found) throw invalidCursor();
  return found;
}
