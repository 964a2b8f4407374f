import { and, asc, desc, eq, gt, lt } from "drizzle-orm";

import { type WebhookAttempt, webhookAttempts } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  pageOf,
} from "#server/core/shared/paging/page.ts";

import { attemptIdOf, attemptNumberOf } from "./attempt-id.ts";
import { requireEvent } from "#server/core/webhooks/events/require-event.ts";

/**
 * A page of the attempts that are kept of an event, newest first, each with its shown id. Cursors are
 * such ids.
 *
 * @throws Refusal `not_found` for the webhook or the event, `invalid` for a cursor that is no attempt
 *   that is kept of it
 */
export async function listAttempts(
  ctx: Context,
  webhookId: string,
  eventId: string,
  page: PageRequest,
): Promise<Page<WebhookAttempt & { id: string }>> {
  const event = await requireEvent(ctx, webhookId, eventId);
  const number = await numberAt(ctx, event.id, page);
  const isForward = page.before === null;
  const isBeyond = isForward ? lt : gt;
  const rows = await ctx.db
    .select()
    .from(webhookAttempts)
    .where(
      and(
        eq(webhookAttempts.eventId, event.id),
        number === null ? undefined : isBeyond(webhookAttempts.number, number),
      ),
    )
    .orderBy((isForward ? desc : asc)(webhookAttempts.number))
    .limit(page.limit + 1);
  return pageOf(
    rows.map((attempt) => ({ ...attempt, id: attemptIdOf(attempt) })),
    page,
  );
}

/** The number of the attempt that the cursor names; null without one. */
async function numberAt(
  ctx: Context,
  eventId: string,
  { after, before }: PageRequest,
): Promise<number | null> {
  const cursor = after ?? before;
  if (cursor === null) return null;
  const number = attemptNumberOf(eventId, cursor);
  if (number === null) throw invalidCursor();
  const isIt = and(eq(webhookAttempts.eventId, eventId), eq(webhookAttempts.number, number));
  if ((await ctx.db.$count(webhookAttempts, isIt)) === 0) throw invalidCursor();
  return number;
}
