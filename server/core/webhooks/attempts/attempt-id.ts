import type { WebhookAttempt } from "#drizzle/schema/index.ts";

import { eventIdOf } from "#server/core/webhooks/events/event-id.ts";

/** Up to what a column of numbers holds. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** The id of an attempt as it is shown: its event's shown id, `_` and its number. */
export const attemptIdOf = ({ eventId, number }: Pick<WebhookAttempt, "eventId" | "number">) =>
  `${eventIdOf(eventId)}_${number}`;

/** The number in the shown id of an attempt of this event; null when the text is none. */
export function attemptNumberOf(eventId: string, text: string): number | null {
  const prefix = `${eventIdOf(eventId)}_`;
  const number = text.slice(prefix.length);
  return text.startsWith(prefix) && NUMBER.test(number) ? Number(number) : null;
}
