import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhookAttempts, webhookEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { attemptAt, leaseEvents, dueEvents } from "#server/testing/due-events.ts";
import { aCompany, aWebhook } from "#server/testing/factories.ts";

import { deleteOldEvents } from "./delete-old-events.ts";
import { recordAttempts } from "#server/core/webhooks/attempts/record-attempts.ts";

const daysAgo = (days: number) => sql`clock_timestamp() - make_interval(days => ${days})`;

test("deletes events with their attempts after 30 days, in batches, including those of disabled webhooks", async () => {
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
