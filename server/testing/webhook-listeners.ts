import { asc, eq } from "drizzle-orm";

import { type WebhookEvent, webhookEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, aWebhook } from "./factories.ts";

/**
 * Webhooks of a company: one that receives all events, and three that must not receive any: a disabled one,
 * one subscribed to `email.complained` only, and another company's.
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
    /** Events of the webhook that receives all, in order. */
    async heard(): Promise<WebhookEvent[]> {
      return eventsOf(all.id);
    },
    /** Events of the webhooks that must not receive any. */
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

/** A time in ISO 8601, as in payloads. */
export const isoOf = (moment: string) => new Date(moment).toISOString();
