import { and, asc, desc, eq, gt, lt } from "drizzle-orm";

import { type WebhookAttempt, webhookAttempts } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  invalidCursor,
  type Page,
  toPage,
  type PageRequest,
} from "#server/core/shared/paging/page.ts";
import { toEventId } from "#server/core/webhooks/events/event-id.ts";
import { requireEvent } from "#server/core/webhooks/events/require-event.ts";

/** Bounded to fit an int column. */
const NUMBER = /^[1-9]\d{0,8}$/;

/**
 * Returns a page of the stored attempts of an event, newest first. Cursors are attempt ids.
 *
 * @throws Refusal `not_found` for the webhook or the event, `invalid` for a cursor that is not a stored
 *   attempt
 */
export async function listAttempts(
  ctx: Context,
  webhookId: string,
  eventId: string,
  page: PageRequest,
): Promise<Page<WebhookAttempt & { id: string }>> {
  const event = await requireEvent(ctx, webhookId, eventId);
  const number = await cursorNumber(ctx, event.id, page);
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
  return toPage(
    rows.map((attempt) => ({ ...attempt, id: attemptIdOf(attempt) })),
    page,
  );
}

async function cursorNumber(
  ctx: Context,
  eventId: string,
  { after, before }: PageRequest,
): Promise<number | null> {
  const cursor = after ?? before;
  if (cursor === null) return null;
  const number = attemptNumberOf(eventId, cursor);
  if (number === null) throw invalidCursor();
  const isAtCursor = and(eq(webhookAttempts.eventId, eventId), eq(webhookAttempts.number, number));
  if ((await ctx.db.$count(webhookAttempts, isAtCursor)) === 0) throw invalidCursor();
  return number;
}

/** The public id of an attempt: its event's id, `_` and its number. */
const attemptIdOf = ({ eventId, number }: Pick<WebhookAttempt, "eventId" | "number">) =>
  `${toEventId(eventId)}_${number}`;

/** Parses the attempt number from a public id; null if invalid. */
function attemptNumberOf(eventId: string, text: string): number | null {
  const prefix = `${toEventId(eventId)}_`;
  const number = text.slice(prefix.length);
  return text.startsWith(prefix) && NUMBER.test(number) ? Number(number) : null;
}
