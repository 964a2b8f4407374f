import { and, asc, desc, eq, sql } from "drizzle-orm";

import { type Email, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import {
  invalidCursor,
  isUuid,
  type Page,
  type PageRequest,
  pageOf,
} from "#server/core/paging/page.ts";

/**
 * A page of the company's emails, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is no email of the company
 */
export async function listEmails(ctx: Context, page: PageRequest): Promise<Page<Email>> {
  const cursor = page.after ?? page.before;
  const from = cursor === null ? null : await positionOf(ctx, cursor);
  const direction = page.before === null ? desc : asc;
  const rows = await ctx.db
    .select()
    .from(emails)
    .where(
      and(
        eq(emails.companyId, ctx.companyId),
        from === null
          ? undefined
          : page.before === null
            ? sql`(${emails.createdAt}, ${emails.id}) < (${from.createdAt}, ${from.id})`
            : sql`(${emails.createdAt}, ${emails.id}) > (${from.createdAt}, ${from.id})`,
      ),
    )
    .orderBy(direction(emails.createdAt), direction(emails.id))
    .limit(page.limit + 1);
  return pageOf(rows, page);
}

async function positionOf(ctx: Context, id: string) {
  if (!isUuid(id)) throw invalidCursor();
  const [found] = await ctx.db
    .select({ createdAt: emails.createdAt, id: emails.id })
    .from(emails)
    .where(and(eq(emails.id, id), eq(emails.companyId, ctx.companyId)));
  if (!found) throw invalidCursor();
  return found;
}
