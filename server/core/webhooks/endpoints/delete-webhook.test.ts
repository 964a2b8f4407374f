import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { dueEvents } from "#server/testing/due-events.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";

import { deleteWebhook } from "./delete-webhook.ts";

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
