import { type WebhookAttempt, webhookAttempts, webhookEvents } from "#drizzle/schema/index.ts";
import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import { db } from "#server/db/pool.ts";
import { aWebhook } from "#server/testing/factories.ts";

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

type Webhook = { id: string; companyId: string };

/** Four webhooks: enabled, failing, disabled for failures, and disabled by an admin. */
export async function webhooksInEveryState(companyId: string) {
  const paused = await aWebhook(companyId, {
    endpoint: "https://staging.northwind.example/hooks",
    events: ["email.sent"],
    status: "disabled",
    createdAt: ago(900),
  });
  const disabled = await aWebhook(companyId, {
    endpoint: "https://old-shop.northwind.example/api/v1/mail-events?tenant=7",
    status: "disabled",
    failures: 100,
    createdAt: ago(700),
    failingSince: ago(50),
    disabledForFailuresAt: ago(20),
  });
  const failing = await aWebhook(companyId, {
    endpoint: "https://crm.northwind.example/incoming/posthouse/7f3c0a1b9d",
    events: ["email.bounced", "email.complained", "email.suppressed"],
    failures: 12,
    failingSince: ago(9),
    createdAt: ago(300),
  });
  const well = await aWebhook(companyId, {
    endpoint: "https://api.northwind.example/webhooks/posthouse",
    createdAt: ago(200),
  });
  await manyEvents(well, 45);
  await anEvent(failing, {
    attempts: [UNAVAILABLE_ATTEMPT, UNAVAILABLE_ATTEMPT, DNS_ERROR_ATTEMPT],
  });
  await anEvent(disabled, { attempts: [DNS_ERROR_ATTEMPT] });
  await anEvent(disabled, { attempts: [] });
  return { well, failing, disabled, paused };
}

type Attempt = Pick<WebhookAttempt, "error" | "httpStatusCode" | "response" | "durationMs">;

export const SUCCESSFUL_ATTEMPT: Attempt = {
  error: null,
  httpStatusCode: 204,
  response: "",
  durationMs: 84,
};
export const DNS_ERROR_ATTEMPT: Attempt = {
  error: "ENOTFOUND",
  httpStatusCode: null,
  response: "",
  durationMs: 12,
};
export const UNAVAILABLE_ATTEMPT: Attempt = {
  error: "HTTP 503",
  httpStatusCode: 503,
  durationMs: 1240,
  response: '{"error":"service unavailable","detail":"The queue is full, try again later"}',
};

/** Creates an event with its attempts, oldest first, and returns its public ID. */
export async function anEvent(
  { id: webhookId, companyId }: Webhook,
  { attempts, status }: { attempts: Attempt[]; status?: "success" | "failed" },
): Promise<string> {
  const createdAt = ago(2);
  const [event] = await db()
    .insert(webhookEvents)
    .values({
      webhookId,
      companyId,
      createdAt,
      type: "email.bounced",
      status: status ?? (attempts.length > 0 ? "attempting" : "pending"),
      attempts: attempts.length,
      nextAttemptAt: status ? null : ago(-1.6),
      payload: {
        type: "email.bounced",
        created_at: createdAt,
        data: {
          created_at: createdAt,
          email_id: "01900000-0000-7000-8000-000000000000",
          from: "Northwind <hello@northwind.example>",
          to: ["ben.okafor@example.net"],
          subject: "Your receipt for order 48213",
          tags: { kind: "receipt", order: "48213" },
          bounce: {
            type: "Permanent",
            subType: "General",
            message: "550 5.1.1 <ben.okafor@example.net>: Recipient address rejected: User unknown",
          },
        },
      },
    })
    .returning();
  if (attempts.length > 0)
    await db()
      .insert(webhookAttempts)
      .values(
        attempts.map((attempt, index) => ({
          ...attempt,
          eventId: event!.id,
          number: index + 1,
          sentAt: ago(2 - index * 0.4),
        })),
      );
  return toEventId(event!.id);
}

const STATUSES = [
  ...(["success", "success", "success", "attempting", "success"] as const),
  ...(["success", "failed", "success", "pending"] as const),
];
const ATTEMPTS = { success: 1, attempting: 3, failed: 8, pending: 0 };

const PEOPLE = ["ben.okafor@example.net", "carla@mail.example.org", "dmitri@example.net"];

const webhookPayload = (type: string, index: number) =>
  type.startsWith("domain.")
    ? { name: "mail.northwind.example" }
    : { to: [PEOPLE[index % PEOPLE.length]!] };

/** Events of all types and statuses, minutes to days old. */
export async function manyEvents({ id: webhookId, companyId }: Webhook, count: number) {
  const values = Array.from({ length: count }, (_, index) => {
    const createdAt = ago((index * index) / 40 + 0.01);
    const status = STATUSES[index % STATUSES.length]!;
    const type = WEBHOOK_EVENT_TYPES[(index * 5) % WEBHOOK_EVENT_TYPES.length]!;
    return {
      webhookId,
      companyId,
      type,
      createdAt,
      status,
      attempts: ATTEMPTS[status],
      isTest: index === 0,
      payload: { type, created_at: createdAt, data: webhookPayload(type, index) },
    };
  });
  const rows = await db().insert(webhookEvents).values(values).returning();
  return rows.map((row) => ({ ...row, shownId: toEventId(row.id) }));
}
