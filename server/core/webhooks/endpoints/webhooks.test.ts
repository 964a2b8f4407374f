import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { auditEntries, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { publishEvent, WEBHOOKS_CHANNEL } from "#server/core/webhooks/events/publish-event.ts";
import { db, pool } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { dueEvents, eventOf, leaseEvents } from "#server/testing/due-events.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";

import { deleteWebhook, getWebhook, updateWebhook } from "./webhooks.ts";

const IN_AN_HOUR = { nextAttemptAt: sql`clock_timestamp() + interval '1 hour'` };

const FAILING = {
  failures: 100,
  failingSince: "2026-03-01 00:00:00+00",
  noticedAt: "2026-03-02 00:00:00+00",
  disabledForFailuresAt: "2026-03-02 01:00:00+00",
};

const UNBLEMISHED = {
  failures: 0,
  failingSince: null,
  noticedAt: null,
  disabledForFailuresAt: null,
};

let webhook: Awaited<ReturnType<typeof aWebhook>>;
let ctx: ReturnType<typeof aContext>;

beforeEach(async () => {
  webhook = await aWebhook((await aCompany()).id);
  ctx = aContext(webhook.companyId);
});

const disable = () => updateWebhook(ctx, webhook.id, { status: "disabled" });
const enable = () => updateWebhook(ctx, webhook.id, { status: "enabled" });
const stored = () => getWebhook(ctx, webhook.id);

describe("disabling a webhook", () => {
  test("keeps pending events scheduled, and no worker leases them", async () => {
    const [due] = await dueEvents(webhook);
    const [later] = await dueEvents(webhook, 1, {
      ...IN_AN_HOUR,
      status: "attempting",
      attempts: 2,
    });
    const before = [await eventOf(due!), await eventOf(later!)];
    await disable();

    expect(await leaseEvents([webhook.id])).toEqual([]);
    expect([await eventOf(due!), await eventOf(later!)]).toEqual(before);
  });

  test("records no events that happen meanwhile", async () => {
    await disable();
    await publishEvent(ctx, "domain.created", {});
    await enable();

    expect(await db().$count(webhookEvents, eq(webhookEvents.webhookId, webhook.id))).toBe(0);
  });

  test("by an admin does not mention failures", async () => {
    await db().update(webhooks).set({ failures: 7 }).where(eq(webhooks.id, webhook.id));
    await disable();
    expect(await stored()).toMatchObject({
      status: "disabled",
      disabledForFailuresAt: null,
      failures: 7,
    });
  });
});

describe("enabling a webhook", () => {
  test("makes pending events due immediately and resets the failure count", async () => {
    const [first] = await dueEvents(webhook, 1, IN_AN_HOUR);
    const [second] = await dueEvents(webhook, 1, {
      ...IN_AN_HOUR,
      status: "attempting",
      attempts: 2,
      scheduled: 2,
    });
    const over = { nextAttemptAt: null, status: "failed" as const };
    const [failed] = await dueEvents(webhook, 1, over);
    const other = await aWebhook(webhook.companyId);
    const [elsewhere] = await dueEvents(other, 1, IN_AN_HOUR);
    await db()
      .update(webhooks)
      .set({ status: "disabled", ...FAILING })
      .where(eq(webhooks.id, webhook.id));

    await enable();

    expect(await stored()).toMatchObject({ status: "enabled", ...UNBLEMISHED });
    expect((await leaseEvents([webhook.id])).map(({ id }) => id).sort()).toEqual(
      [first, second].sort(),
    );
    expect(await eventOf(second!)).toMatchObject({
      status: "attempting",
      attempts: 2,
      scheduled: 2,
    });
    expect(await eventOf(failed!)).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(Date.parse((await eventOf(elsewhere!)).nextAttemptAt!)).toBeGreaterThan(Date.now());
  });

  test("wakes the workers", async () => {
    await disable();
    let heard = () => {};
    const woken = new Promise<void>((resolve) => (heard = resolve));
    const listening = await pool().sql.listen(WEBHOOKS_CHANNEL, () => heard());
    await enable();
    await woken;
    await listening.unlisten();
  });

  test("that is already enabled keeps its failures and retry times", async () => {
    const [id] = await dueEvents(webhook, 1, IN_AN_HOUR);
    const failing = { failures: 7, failingSince: FAILING.failingSince };
    await db().update(webhooks).set(failing).where(eq(webhooks.id, webhook.id));
    const before = await eventOf(id!);
    await enable();
    await updateWebhook(ctx, webhook.id, { events: ["email.sent"] });

    expect(await eventOf(id!)).toEqual(before);
    expect(await stored()).toMatchObject({ failures: 7 });
  });
});

test("concurrent changes are applied one after the other", async () => {
  await db()
    .transaction(async (tx) => {
      await tx.select().from(webhooks).where(eq(webhooks.id, webhook.id)).for("update");
      const changes = Promise.all([
        updateWebhook(ctx, webhook.id, { events: ["email.sent"] }),
        updateWebhook(ctx, webhook.id, { endpoint: "https://other.example.com/" }),
        disable(),
        disable(),
      ]);
      await untilBlocked(4);
      return { changes };
    })
    .then(({ changes }) => changes);

  expect(await stored()).toMatchObject({
    events: ["email.sent"],
    endpoint: "https://other.example.com/",
    status: "disabled",
  });
  expect(await db().$count(auditEntries, eq(auditEntries.companyId, webhook.companyId))).toBe(3);
});

const countOf = (webhookId: string) =>
  db().$count(webhookEvents, eq(webhookEvents.webhookId, webhookId));

test("deletes thousands of events before it locks the webhook's row", async () => {
  const webhook = await aWebhook((await aCompany()).id);
  const other = await aWebhook(webhook.companyId);
  await dueEvents(webhook, 2_500);
  await dueEvents(other);
  const [held] = await dueEvents(webhook);
  let deleting = Promise.resolve();
  await db().transaction(async (tx) => {
    await tx.select().from(webhookEvents).where(eq(webhookEvents.id, held!)).for("update");
    deleting = deleteWebhook(aContext(webhook.companyId), webhook.id);
    await untilBlocked();
    expect(await countOf(webhook.id)).toBe(1);
  });
  await deleting;

  expect(await countOf(webhook.id)).toBe(0);
  expect(await countOf(other.id)).toBe(1);
  expect(await db().$count(webhooks, eq(webhooks.id, webhook.id))).toBe(0);
});
