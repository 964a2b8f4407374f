import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, it, test } from "vitest";

import { auditEntries, webhookAttempts, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { recordAttempts } from "#server/core/webhooks/attempts/attempts.ts";
import { db, pool } from "#server/db/pool.ts";
import { attemptAt, dueEvents, eventOf, leaseEvents } from "#server/testing/due-events.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";

import { WEBHOOKS_CHANNEL } from "./publish-event.ts";
import { sendTestEvent } from "./send-test-event.ts";
import {
  deleteOldEvents,
  parseEventId,
  replayEvent,
  replayFailed,
  toEventId,
} from "./webhook-events.ts";

const FAILED = {
  status: "failed" as const,
  attempts: 8,
  scheduled: 8,
  nextAttemptAt: null,
};

let webhook: Awaited<ReturnType<typeof aWebhook>>;
let ctx: ReturnType<typeof aContext>;

beforeEach(async () => {
  webhook = await aWebhook((await aCompany()).id);
  ctx = aContext(webhook.companyId);
});

test("replays all failed events of a webhook, and no others", async () => {
  const failed = await dueEvents(webhook, 3, FAILED);
  const others = [
    ...(await dueEvents(webhook, 1, { ...FAILED, status: "success" })),
    ...(await dueEvents(webhook, 1, {
      ...FAILED,
      createdAt: sql`now() - interval '31 days'`,
    })),
    ...(await dueEvents(await aWebhook(webhook.companyId), 1, FAILED)),
  ];
  const before = await Promise.all(others.map(eventOf));

  expect(await replayFailed(ctx, webhook.id)).toBe(3);

  const leased = await leaseEvents([webhook.id]);
  expect(leased.map(({ id }) => id).sort()).toEqual([...failed].sort());
  expect(leased.every(({ isReplay }) => isReplay)).toBe(true);
  expect(await eventOf(failed[0]!)).toMatchObject({
    status: "attempting",
    attempts: 8,
    scheduled: 8,
  });
  expect(await Promise.all(others.map(eventOf))).toEqual(before);
  expect(await replayFailed(ctx, webhook.id)).toBe(0);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, webhook.companyId));
  expect(entries).toMatchObject([
    { action: "webhook.failed_events_replayed", details: { webhookId: webhook.id, replayed: 3 } },
  ]);
});

test("replays each of thousands of failed events once, including many of the same moment", async () => {
  const ids = await dueEvents(webhook, 2_300, FAILED);
  await db().execute(sql`
    update webhook_events set created_at = date_trunc('second', created_at)
    where webhook_id = ${webhook.id}`);
  expect(await replayFailed(ctx, webhook.id)).toBe(2_300);
  expect(await leaseEvents([webhook.id], 3_000)).toHaveLength(ids.length);
});

test("two concurrent replays of all failed events replay each once", async () => {
  await dueEvents(webhook, 3, FAILED);
  const replayed = await Promise.all([1, 2, 3, 4].map(() => replayFailed(ctx, webhook.id)));
  expect(replayed.sort()).toEqual([0, 0, 0, 3]);
});

test("leaves failed events of disabled webhooks and of other companies unchanged", async () => {
  const [id] = await dueEvents(webhook, 1, FAILED);
  const stranger = aContext((await aCompany()).id);
  await expect(replayFailed(stranger, webhook.id)).rejects.toMatchObject({ reason: "not_found" });
  await db().update(webhooks).set({ status: "disabled" }).where(eq(webhooks.id, webhook.id));
  await expect(replayFailed(ctx, webhook.id)).rejects.toMatchObject({ reason: "invalid" });
  expect(await eventOf(id!)).toMatchObject({ status: "failed", nextAttemptAt: null });
});

test.each([
  ["a replay", (id: string) => replayEvent(ctx, webhook.id, toEventId(id))],
  ["a replay of all that failed", () => replayFailed(ctx, webhook.id)],
  ["a test event", () => sendTestEvent(ctx, webhook.id)],
])("%s wakes the workers", async (_, act) => {
  const [id] = await dueEvents(webhook, 1, FAILED);
  let heard = () => {};
  const woken = new Promise<void>((resolve) => (heard = resolve));
  const listening = await pool().sql.listen(WEBHOOKS_CHANNEL, () => heard());
  await act(id!);
  await woken;
  await listening.unlisten();
});

test("concurrent replays of an event count as one", async () => {
  const [id] = await dueEvents(webhook, 1, FAILED);
  await Promise.all([1, 2, 3, 4].map(() => replayEvent(ctx, webhook.id, toEventId(id!))));
  expect(await leaseEvents([webhook.id])).toHaveLength(1);
  expect(await leaseEvents([webhook.id])).toEqual([]);
});

const daysAgo = (days: number) => sql`clock_timestamp() - make_interval(days => ${days})`;

test("deletes events with their attempts after 30 days, in batches, including those of disabled webhooks", async () => {
  // Delete the events of the other tests.
  await db().delete(webhookEvents);
  const { id: companyId } = await aCompany();
  const [enabled, disabled] = [
    await aWebhook(companyId),
    await aWebhook(companyId, { status: "disabled" }),
  ];
  await dueEvents(enabled, 1100);
  const leased = await leaseEvents([enabled.id], 1100);
  await recordAttempts(
    db(),
    leased.map((event) => attemptAt(event)),
  );
  await dueEvents(disabled, 3);
  await db()
    .update(webhookEvents)
    .set({ createdAt: daysAgo(31) });
  const young = await dueEvents(disabled, 2, { createdAt: daysAgo(29) });

  expect(await deleteOldEvents(db(), 30)).toBe(1103);

  const left = await db().select({ id: webhookEvents.id }).from(webhookEvents);
  expect(left.map(({ id }) => id).sort()).toEqual([...young].sort());
  expect(await db().$count(webhookAttempts)).toBe(0);
  expect(await deleteOldEvents(db(), 30)).toBe(0);
});

const UUID = "0b4f7c1e-94d3-4a55-8f0e-2f6c1d9a7b30";
const SHOWN = "msg_0b4f7c1e94d34a558f0e2f6c1d9a7b30";

it("formats a UUID as msg_ and 32 hex digits, and parses it", () => {
  expect(toEventId(UUID)).toBe(SHOWN);
  expect(parseEventId(SHOWN)).toBe(UUID);
});

it.each([
  UUID,
  "",
  "msg_",
  SHOWN.toUpperCase(),
  `${SHOWN}0`,
  `${SHOWN}\n`,
  `${SHOWN}_1`,
  SHOWN.slice(4),
])("rejects %j as an event id", (text) => expect(parseEventId(text)).toBeNull());
