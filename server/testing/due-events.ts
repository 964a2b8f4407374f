import { type SQL, sql } from "drizzle-orm";

import {
  type WebhookAttempt,
  webhookAttempts,
  type WebhookEvent,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { type LeasedEvent, leaseDueEvents } from "#server/core/webhooks/attempts/event-leases.ts";
import type { Attempt } from "#server/core/webhooks/attempts/attempts.ts";
import { db } from "#server/db/pool.ts";

type Insert = typeof webhookEvents.$inferInsert;
type Overrides = Partial<Omit<Insert, "nextAttemptAt" | "createdAt">> & {
  nextAttemptAt?: SQL | null;
  createdAt?: SQL;
};

/** Pending events of a webhook, due now or at `nextAttemptAt`. */
export async function dueEvents(
  webhook: { id: string; companyId: string },
  count = 1,
  overrides: Overrides = {},
): Promise<string[]> {
  const payload = {
    type: "email.sent",
    created_at: new Date().toISOString(),
    data: { subject: "Grüße 🐣" },
  };
  const rows = await db()
    .insert(webhookEvents)
    .values(
      Array.from({ length: count }, () => ({
        webhookId: webhook.id,
        companyId: webhook.companyId,
        type: payload.type,
        payload,
        nextAttemptAt: sql`clock_timestamp()`,
        ...overrides,
      })),
    )
    .returning({ id: webhookEvents.id });
  return rows.map(({ id }) => id);
}

export async function eventOf(id: string): Promise<WebhookEvent> {
  const [event] = await db()
    .select()
    .from(webhookEvents)
    .where(sql`${webhookEvents.id} = ${id}`);
  return event!;
}

/** Newest last. */
export const attemptsOf = (eventId: string): Promise<WebhookAttempt[]> =>
  db()
    .select()
    .from(webhookAttempts)
    .where(sql`${webhookAttempts.eventId} = ${eventId}`)
    .orderBy(webhookAttempts.number);

/** Makes the next attempt of events due now. */
export async function makeDue(...ids: string[]): Promise<void> {
  for (const id of ids)
    await db()
      .update(webhookEvents)
      .set({ nextAttemptAt: sql`clock_timestamp()` })
      .where(sql`${webhookEvents.id} = ${id}`);
}

/** Leases due events of webhooks for an owner of its own. */
export function leaseEvents(webhookIds: string[], take = 100): Promise<LeasedEvent[]> {
  const shares = webhookIds.map((webhookId) => ({ webhookId, take }));
  return leaseDueEvents(db(), { lease: crypto.randomUUID(), shares });
}

/** As if the workers with leased events had been killed. */
export const expireLeases = () =>
  db().execute(sql`
    update webhook_events set lease_until = clock_timestamp() - interval '1 second'
    where lease_until is not null`);

/** The result of an attempt at a leased event: `HTTP 500` or another error, or success. */
export const attemptAt = (event: LeasedEvent, error: string | null = null): Attempt => ({
  id: event.id,
  webhookId: event.webhookId,
  lease: event.lease,
  isReplay: event.isReplay,
  httpStatusCode: error ? 500 : 200,
  response: "received",
  error,
  durationMs: 12,
  sentAt: new Date().toISOString(),
});
