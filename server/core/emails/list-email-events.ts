import { and, asc, desc, eq, gt, lt } from "drizzle-orm";

import { type EmailEvent, emailEvents } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { invalidCursor, type Page, type PageRequest, pageOf } from "#server/core/paging/page.ts";

import { requireEmail } from "./require-email.ts";

/**
 * A page of an email's history, oldest first.
 *
 * @throws Refusal `not_found`, or `invalid` for a cursor that is no event of this email
 */
export async function listEmailEvents(
  ctx: Context,
  emailId: string,
  page: PageRequest,
): Promise<Page<EmailEvent>> {
  await requireEmail(ctx, emailId);
  const cursor = page.after ?? page.before;
  const from = cursor === null ? null : await requireEvent(ctx, emailId, cursor);
  const rows = await ctx.db
    .select()
    .from(emailEvents)
    .where(
      and(
        eq(emailEvents.emailId, emailId),
        from === null
          ? undefined
          : page.before === null
            ? gt(emailEvents.id, from)
            : lt(emailEvents.id, from),
      ),
    )
    .orderBy(page.before === null ? asc(emailEvents.id) : desc(emailEvents.id))
    .limit(page.limit + 1);
  return pageOf(rows, page);
}

async function requireEvent(ctx: Context, emailId: string, cursor: string): Promise<bigint> {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidCursor();
  const id = BigInt(cursor);
  const [event] = await ctx.db
    .select({ id: emailEvents.id })
    .from(emailEvents)
    .where(and(eq(emailEvents.id, id), eq(emailEvents.emailId, emailId)));
  if (!event) throw invalidCursor();
  return event.id;
}
