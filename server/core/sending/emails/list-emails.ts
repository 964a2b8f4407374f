import { and, eq } from "drizzle-orm";

import { type Email, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

const { id, messageId, from, subject, to, cc, bcc, replyTo } = emails;
const { lastEvent, createdAt, scheduledAt } = emails;
const LISTED = {
  ...{ id, messageId, from, subject, to, cc, bcc, replyTo },
  ...{ lastEvent, createdAt, scheduledAt },
};

export type ListedEmail = Pick<Email, keyof typeof LISTED>;

/**
 * Returns a page of the company's emails, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is not an email of the company
 */
export async function listEmails(ctx: Context, page: PageRequest): Promise<Page<ListedEmail>> {
  const inList = and(eq(emails.companyId, ctx.companyId), inMode(ctx, emails.isTest));
  const list = pageNewestFirst(ctx.db, emails, inList, page);
  const rows = await ctx.db
    .select(LISTED)
    .from(emails)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}
