import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Webhook as StandardWebhook } from "standardwebhooks";

import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { replayEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { sendTestEvent } from "#server/core/webhooks/events/send-test-event.ts";
import { updateWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { db } from "#server/db/pool.ts";
import { aDeliverer } from "#server/testing/a-deliverer.ts";
import {
  attemptsOf,
  expireLeases,
  leaseEvents,
  dueEvents,
  eventOf,
  makeDue,
} from "#server/testing/due-events.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";
import {
  anHttpsReceiver,
  type Behavior,
  type HttpsReceiver,
} from "#server/testing/https-receiver.ts";

/** Far below the time between two sweeps, and enough for a busy machine. */
const TOLERANCE_MS = 3_000;

let receivers: HttpsReceiver[] = [];
let deliverer: Awaited<ReturnType<typeof aDeliverer>>;

beforeEach(async () => {
  await db().delete(webhooks);
  deliverer = await aDeliverer();
});
afterEach(async () => {
  // Hanging requests are released first.
  await Promise.all(receivers.map((receiver) => receiver.close()));
  receivers = [];
  await deliverer.stop();
});

type Endpoint = { path?: string; answer?: string };

async function anEndpoint(script: Behavior[] = [], { path = "", ...more }: Endpoint = {}) {
  const receiver = await anHttpsReceiver(script, more);
  receivers.push(receiver);
  const endpoint = receiver.url + path;
  const webhook = await aWebhook((await aCompany()).id, { endpoint });
  return { receiver, webhook, ctx: aContext(webhook.companyId) };
}

/** Resolves once an event has this many attempts and isn't leased. */
const tried = (id: string, attempts: number) =>
  vi.waitFor(async () => expect(await eventOf(id)).toMatchObject({ attempts, leaseOwner: null }), {
    interval: 20,
  });

test("posts due events, signed over the exact stored text, and records the response", async () => {
  const { receiver, webhook } = await anEndpoint([202]);
  const [id] = await dueEvents(webhook);
  wakeWebhooks(db());
  await tried(id!, 1);

  const [stored] = await db().execute<{ text: string }>(sql`
    select payload::text as text from webhook_events where id = ${id!}`);
  const [request] = receiver.received;
  expect(request).toMatchObject({ method: "POST", path: "/", body: stored!.text });
  expect(request!.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Posthouse-Webhooks/1.0",
    "webhook-id": toEventId(id!),
    "svix-id": toEventId(id!),
  });
  new StandardWebhook(webhook.signingSecret).verify(request!.body, request!.headers);
  expect(await eventOf(id!)).toMatchObject({ status: "success" });
  expect(await attemptsOf(id!)).toMatchObject([
    { number: 1, httpStatusCode: 202, response: "received", error: null },
  ]);
});

test("redirects, other statuses and broken connections are failures, each with its own error", async () => {
  const { receiver, webhook } = await anEndpoint(["drop", 302, 404, 500]);
  const [id] = await dueEvents(webhook);
  for (const [i, error] of ["ECONNRESET", "HTTP 302", "HTTP 404", "HTTP 500"].entries()) {
    wakeWebhooks(db());
    await tried(id!, i + 1);
    const attempts = await attemptsOf(id!);
    const httpStatusCode = error.startsWith("HTTP") ? Number(error.slice(5)) : null;
    expect(attempts.at(-1)).toMatchObject({ error, httpStatusCode });
    await makeDue(id!);
  }
  wakeWebhooks(db());
  await tried(id!, 5);
  expect(await eventOf(id!)).toMatchObject({ status: "success" });
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("a refused connection and a private host are connection failures", async () => {
  const { receiver, webhook } = await anEndpoint();
  await receiver.close();
  receivers = [];
  const other = await aWebhook(webhook.companyId, { endpoint: "https://10.0.0.1/hook" });
  const [[refused], [private_]] = [await dueEvents(webhook), await dueEvents(other)];
  wakeWebhooks(db());
  await tried(refused!, 1);
  await tried(private_!, 1);
  expect(await attemptsOf(refused!)).toMatchObject([{ error: "ECONNREFUSED", response: "" }]);
  expect(await attemptsOf(private_!)).toMatchObject([{ error: "private_address" }]);
});

test("the attempt fails without a response within ten seconds", async () => {
  const { webhook } = await anEndpoint(["hang"]);
  const [id] = await dueEvents(webhook);
  wakeWebhooks(db());
  await tried(id!, 1);
  const [attempt] = await attemptsOf(id!);
  expect(attempt).toMatchObject({ error: "timeout", httpStatusCode: null });
  expect(Math.abs(attempt!.durationMs - 10_000)).toBeLessThan(TOLERANCE_MS);
});

test("the second attempt follows five seconds after the first failed, without a wake-up", async () => {
  const { webhook } = await anEndpoint([500]);
  const [id] = await dueEvents(webhook);
  wakeWebhooks(db());
  await tried(id!, 2);
  const [first, second] = await attemptsOf(id!);
  const waited = Date.parse(second!.sentAt) - Date.parse(first!.sentAt) - first!.durationMs;
  expect(Math.abs(waited - 5000)).toBeLessThan(TOLERANCE_MS);
});

test("makes all eight attempts when they are due, and no more", async () => {
  const { receiver, webhook } = await anEndpoint(Array.from({ length: 9 }, () => 500));
  const [id] = await dueEvents(webhook);
  for (let attempt = 1; attempt <= 8; attempt++) {
    wakeWebhooks(db());
    await tried(id!, attempt);
    if (attempt < 8) await makeDue(id!);
  }
  expect(await eventOf(id!)).toMatchObject({ status: "failed", nextAttemptAt: null });
  expect(receiver.received).toHaveLength(8);
});

test("sleeps no longer than until the next event is due", async () => {
  const { webhook } = await anEndpoint();
  const [id] = await dueEvents(webhook, 1, {
    nextAttemptAt: sql`clock_timestamp() + interval '1.5 seconds'`,
  });
  wakeWebhooks(db());
  const { nextAttemptAt } = await eventOf(id!);
  await tried(id!, 1);
  const [attempt] = await attemptsOf(id!);
  const lateMs = Date.parse(attempt!.sentAt) - Date.parse(nextAttemptAt!);
  expect(Math.abs(lateMs)).toBeLessThan(TOLERANCE_MS);
});

test("delivers a test event, and replays immediately whatever the event's status", async () => {
  const { receiver, webhook, ctx } = await anEndpoint([200, 500, 200]);
  const id = await sendTestEvent(ctx, webhook.id);
  await tried(id, 1);
  for (const [attempts, status] of [
    [2, "attempting"],
    [3, "success"],
  ] as const) {
    await replayEvent(ctx, webhook.id, toEventId(id));
    await tried(id, attempts);
    expect(await eventOf(id)).toMatchObject({ status });
  }
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

test("posts a disabled webhook's pending events immediately when it is enabled", async () => {
  const { receiver, webhook, ctx } = await anEndpoint();
  await updateWebhook(ctx, webhook.id, { status: "disabled" });
  const held = await dueEvents(webhook, 2);
  const [later] = await dueEvents(webhook, 1, {
    nextAttemptAt: sql`clock_timestamp() + interval '10 hours'`,
  });
  const other = await anEndpoint();
  const [passed] = await dueEvents(other.webhook);
  wakeWebhooks(db());
  await tried(passed!, 1);
  expect(receiver.received).toHaveLength(0);

  await updateWebhook(ctx, webhook.id, { status: "enabled" });
  for (const id of [...held, later!]) await tried(id, 1);
  expect(receiver.received).toHaveLength(3);
});

test("redacts the endpoint's path and query from the stored response", async () => {
  const { webhook } = await anEndpoint([], {
    path: "hooks/T0secret?key=alsosecret",
    answer: "Cannot POST /hooks/T0secret?key=alsosecret: T0secret alsosecret",
  });
  const [id] = await dueEvents(webhook);
  wakeWebhooks(db());
  await tried(id!, 1);
  expect((await attemptsOf(id!))[0]!.response).toBe("Cannot POST ***: *** ***");
});

test("tolerates deleting the webhook or event during an attempt", async () => {
  const { receiver, webhook } = await anEndpoint(["hang"]);
  const other = await anEndpoint();
  await dueEvents(webhook);
  wakeWebhooks(db());
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  await db().delete(webhooks).where(eq(webhooks.id, webhook.id));
  await receiver.close();
  receivers = [other.receiver];

  const [id] = await dueEvents(other.webhook);
  wakeWebhooks(db());
  await tried(id!, 1);
  expect(deliverer.errors).toEqual([]);
});

test("an event whose secret can't be decrypted keeps its attempts, and others continue", async () => {
  const { receiver, webhook } = await anEndpoint();
  await db().update(webhooks).set({ sealedSecret: "v1.broken" }).where(eq(webhooks.id, webhook.id));
  const other = await anEndpoint();
  const [[kept], [id]] = [await dueEvents(webhook, 20), await dueEvents(other.webhook)];
  wakeWebhooks(db());
  await tried(id!, 1);
  expect(await eventOf(kept!)).toMatchObject({ status: "pending", attempts: 0 });
  expect(receiver.received).toHaveLength(0);
  // Only those of one batch: then the webhook is paused.
  expect(deliverer.errors.length).toBeLessThanOrEqual(8);
});

/** Leases the webhook's only due event twice, as workers that are killed would. */
async function interruptTwice(webhookId: string, id: string): Promise<void> {
  for (const worker of ["first", "second"]) {
    expect([worker, await leaseEvents([webhookId])]).toMatchObject([worker, [{ id }]]);
    await expireLeases();
  }
}

test("an interrupted attempt doesn't count as a failure of the endpoint", async () => {
  await deliverer.stop();
  const { webhook } = await anEndpoint();
  const [id] = await dueEvents(webhook);
  await interruptTwice(webhook.id, id!);
  await db().update(webhooks).set({ failures: 99 }).where(eq(webhooks.id, webhook.id));
  deliverer = await aDeliverer();
  await tried(id!, 1);
  const stored = await db().select().from(webhooks).where(eq(webhooks.id, webhook.id));
  expect(stored).toMatchObject([{ status: webhook.status, failures: 99 }]);
});

test("an event whose workers were killed twice waits for a retry, and others are posted", async () => {
  await deliverer.stop();
  const { receiver, webhook } = await anEndpoint();
  const [id] = await dueEvents(webhook);
  await interruptTwice(webhook.id, id!);
  const [other] = await dueEvents(webhook);
  deliverer = await aDeliverer();
  await Promise.all([tried(id!, 1), tried(other!, 1)]);
  expect(receiver.received).toHaveLength(1);
  expect(await attemptsOf(id!)).toMatchObject([{ error: "interrupted" }]);
  await makeDue(id!);
  wakeWebhooks(db());
  await tried(id!, 2);
  expect(await eventOf(id!)).toMatchObject({ status: "success" });
});

test("events leased ahead of an endpoint that begins to fail are posted once, without waiting for their leases", async () => {
  const failing = new Array<Behavior>(100).fill(200).concat(500);
  const { receiver, webhook } = await anEndpoint(failing);
  const ids = await dueEvents(webhook, 300);
  wakeWebhooks(db());
  const untried = () => db().$count(webhookEvents, eq(webhookEvents.attempts, 0));
  await vi.waitFor(async () => expect(await untried()).toBe(0), { timeout: 20_000 });
  const posted = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(posted).size).toBe(posted.length);
  expect(posted).toHaveLength(ids.length);
});

test("events leased ahead of an endpoint that stops responding are released, without waiting for its timeouts", async () => {
  const hanging = new Array<Behavior>(100).fill(200).concat(new Array<Behavior>(200).fill("hang"));
  const { receiver, webhook } = await anEndpoint(hanging);
  await dueEvents(webhook, 300);
  wakeWebhooks(db());
  const hung = () => receiver.received.length - 100;
  const leased = () => db().$count(webhookEvents, sql`lease_owner is not null`);
  await vi.waitFor(() => expect(hung()).toBe(32));
  await vi.waitFor(async () => expect(await leased()).toBe(32), { timeout: 5_000 });
  expect(hung()).toBe(32);
});

test("stopping leases nothing more, finishes running attempts and releases the rest", async () => {
  const { receiver, webhook } = await anEndpoint(["hang", "hang"]);
  const ids = await dueEvents(webhook, 2);
  wakeWebhooks(db());
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
  const stopped = deliverer.stop();
  const [later] = await dueEvents(webhook);
  wakeWebhooks(db());
  await stopped;

  expect(receiver.received).toHaveLength(2);
  expect(await eventOf(later!)).toMatchObject({ attempts: 0 });
  const leased = db().$count(webhookEvents, sql`lease_owner is not null`);
  expect(await leased).toBe(0);
  expect((await leaseEvents([webhook.id])).map(({ id }) => id).sort()).toEqual(
    [...ids, later].sort(),
  );
});
