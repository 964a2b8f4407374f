import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";

import {
  type EmailEvent,
  emailEvents,
  type EmailEventType,
  emails,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";

import { requireEmail } from "./internal/require-email.ts";

/**
 * Returns a page of an email's events, oldest first.
 *
 * @param type only events of this type
 * @throws Refusal `not_found`, or `invalid` for a cursor that is not an event of this email
 */
export async function listEmailEvents(
  ctx: Context,
  emailId: string,
  page: PageRequest,
  type?: EmailEventType,
): Promise<Page<EmailEvent>> {
  const rows = await readEvents(ctx, emailId, { ...page, type });
  // Only an empty page needs the checks: does the email exist, and is the cursor one of its events?
  if (rows.length === 0) {
    await requireEmail(ctx, emailId);
    await requireCursor(ctx, emailId, page);
  }
  return toPage(rows, page);
}

/** Returns nothing if the cursor is not an event of the email. */
async function readEvents(
  ctx: Context,
  emailId: string,
  { type, ...page }: PageRequest & { type: EmailEventType | undefined },
): Promise<EmailEvent[]> {
  const cursor = page.after ?? page.before;
  if (cursor !== null && !isEventId(cursor)) return [];
  const isForward = page.before === null;
  const direction = isForward ? asc : desc;
  const atCursor = eventsOf(ctx, emailId, cursor);
  return ctx.db
    .select()
    .from(emailEvents)
    .where(
      and(
        eq(emailEvents.emailId, emailId),
        eq(emailEvents.companyId, ctx.companyId),
        isOfMode(ctx, emailId),
        type && eq(emailEvents.type, type),
        cursor === null
          ? undefined
          : sql`${emailEvents.id} ${sql.raw(isForward ? ">" : "<")} (${atCursor})`,
      ),
    )
    .orderBy(direction(emailEvents.id))
    .limit(page.limit + 1);
}

function isOfMode(ctx: Context, emailId: string): SQL | undefined {
  const mode = inMode(ctx, emails.isTest);
  return mode && sql`(select ${mode} from ${emails} where ${emails.id} = ${emailId})`;
}

async function requireCursor(ctx: Context, emailId: string, { after, before }: PageRequest) {
  const cursor = after ?? before;
  if (cursor === null) return;
  if (!isEventId(cursor) || (await eventsOf(ctx, emailId, cursor)).length === 0)
    throw invalidCursor();
}

const isEventId = (text: string) => /^\d{1,18}$/.test(text);

const eventsOf = (ctx: Context, emailId: string, id: string | null) =>
  ctx.db
    .select({ id: emailEvents.id })
    .from(emailEvents)
    .where(and(sql`${emailEvents.id} = ${id}`, eq(emailEvents.emailId, emailId)));
