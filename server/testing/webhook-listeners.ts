import { asc, eq } from "drizzle-orm";

import { type WebhookEvent, webhookEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, aWebhook } from "./factories.ts";

/**
 * Webhooks around a company: one that hears all of it, and three that may hear nothing, being disabled,
 * subscribed to `email.complained` only, or another company's.
 */
export async function webhookListeners(companyId: string) {
  const all = await aWebhook(companyId);
  const silent = [
    await aWebhook(companyId, { status: "disabled" }),
    await aWebhook(companyId, { events: ["email.complained"] }),
    await aWebhook((await aCompany()).id),
  ];
  return {
    all,
    /** What was recorded for the one that hears all, in the order in which it happened. */
    async heard(): Promise<WebhookEvent[]> {
      return eventsOf(all.id);
    },
    /** What was recorded for those that may hear nothing. */
    async overheard(): Promise<WebhookEvent[]> {
      return (await Promise.all(silent.map(({ id }) => eventsOf(id)))).flat();
    },
  };
}

export type Listeners = Awaited<ReturnType<typeof webhookListeners>>;

const eventsOf = (webhookId: string) =>
  db()
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.webhookId, webhookId))
    .orderBy(asc(webhookEvents.createdAt), asc(webhookEvents.type));

/** A moment in ISO 8601, as payloads have it. */
export const isoOf = (moment: string) => new Date(moment).toISOString();
