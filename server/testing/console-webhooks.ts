import { webhookEvents } from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { call } from "./call.ts";
import { aCompany, anAdmin, aWebhook } from "./factories.ts";

/** The session cookie of an admin with only `privileges`. */
export async function aSession(companyId: string, privileges: Privilege[] = ["api_controls"]) {
  const admin = await anAdmin(companyId, { privileges });
  return (await startSession(db(), admin.id)).split(";")[0]!;
}

/** A company with a webhook, and an admin who can view it. */
export async function aWebhookOwner(overrides: Parameters<typeof aWebhook>[1] = {}) {
  const { id: companyId } = await aCompany();
  const webhook = await aWebhook(companyId, overrides);
  return { companyId, webhook, params: { id: webhook.id }, cookie: await aSession(companyId) };
}

/** An event of a webhook, with its public id. */
export async function anEventOf(
  { id, companyId }: { id: string; companyId: string },
  overrides: Partial<typeof webhookEvents.$inferInsert> = {},
) {
  const [event] = await db()
    .insert(webhookEvents)
    .values({
      webhookId: id,
      companyId,
      type: "email.sent",
      payload: { type: "email.sent", created_at: "2026-03-04T10:15:00.000Z", data: { a: 1 } },
      ...overrides,
    })
    .returning();
  return { ...event!, shownId: toEventId(event!.id) };
}

/** Calls a console endpoint like one of its pages does. */
export const callFromPage = (endpoint: AnyEndpoint, options: Parameters<typeof call>[1]) =>
  call(endpoint, { ...options, headers: { "sec-fetch-site": "same-origin" } });
