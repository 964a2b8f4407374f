import { setTimeout as delay } from "node:timers/promises";

import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
import { aDeliverer } from "#server/testing/a-deliverer.ts";
import { dueEvents, eventOf } from "#server/testing/due-events.ts";
import { aCompany, aWebhook } from "#server/testing/factories.ts";
import { anHttpsReceiver } from "#server/testing/https-receiver.ts";

test("a database outage during an attempt loses no result, and nothing is posted twice", async () => {
  const receiver = await anHttpsReceiver([], { delayMs: 500 });
  const webhook = await aWebhook((await aCompany()).id, { endpoint: receiver.url });
  await dueEvents(webhook, 20);
  const door = await aDatabaseProxy();
  const connection = connect(door.url);
  const deliverer = await aDeliverer({ connection });

  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0));
  await door.shut();
  await vi.waitFor(() =>
    expect(deliverer.errors.join("")).toContain("could not record outcomes; retrying"),
  );
  // Only those in flight: nothing was leased while results could not be written.
  const posted = receiver.received.length;
  expect(posted).toBeLessThan(20);
  await door.reopen();
  await vi.waitFor(
    async () => expect(await db().$count(webhookEvents, sql`status = 'success'`)).toBe(20),
    { interval: 50 },
  );

  expect(receiver.received).toHaveLength(20);
  expect(await db().$count(webhookEvents, sql`attempts <> 1 or lease_owner is not null`)).toBe(0);
  await deliverer.stop();
  await connection.close();
  await door.shut();
  await receiver.close();
});

test("leases nothing while results can't be written", async () => {
  await db().delete(webhooks);
  const receiver = await anHttpsReceiver();
  const webhook = await aWebhook((await aCompany()).id, { endpoint: receiver.url });
  await dueEvents(webhook, 3);
  await db().execute(sql`alter table webhook_attempts rename to elsewhere`);
  const deliverer = await aDeliverer();
  await vi.waitFor(() =>
    expect(deliverer.errors.join("")).toContain("could not record outcomes; retrying"),
  );
  const posted = receiver.received.length;
  const [later] = await dueEvents(webhook);
  wakeWebhooks(db());
  // Longer than two polls.
  await delay(2_000);
  expect(receiver.received).toHaveLength(posted);

  await db().execute(sql`alter table elsewhere rename to webhook_attempts`);
  await vi.waitFor(async () => expect(await eventOf(later!)).toMatchObject({ status: "success" }));
  expect(receiver.received).toHaveLength(4);
  await deliverer.stop();
  await receiver.close();
});
