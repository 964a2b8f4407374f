import { runOnce } from "graphile-worker";
import { expect, test } from "vitest";

import { emails } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { db } from "#server/db/pool.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { aCompany, anAdmin, aWebhook } from "#server/testing/factories.ts";

import { taskList } from "./tasks.ts";

const DAYS_AGO = new Date(Date.now() - 3 * 86_400_000).toISOString();

const workThroughQueue = () =>
  runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });

test("reports a webhook that failed for a day, with an email to its owner in the outbox", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anAdmin(companyId, { isOwner: true });
  await aWebhook(companyId, { failures: 9, failingSince: DAYS_AGO });

  await enqueue(db(), "report_failing_webhooks", {});
  await workThroughQueue();
  await workThroughQueue();

  expect(await db().select().from(emails)).toMatchObject([
    { to: [owner.email], lastEvent: "sent" },
  ]);
});

test("creates a notice in the transaction of its change, or not at all", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anAdmin(companyId, { isOwner: true });
  const disabled = { status: "disabled" as const, failures: 100, disabledForFailuresAt: DAYS_AGO };
  const { id: webhookId } = await aWebhook(companyId, disabled);
  const notice = { kind: "webhook_disabled" as const, webhookId };
  const told = async () => {
    await workThroughQueue();
    return (await db().select().from(emails)).filter(({ to }) => to.includes(owner.email)).length;
  };

  const failing = db().transaction(async (tx) => {
    await notifyAdmins({ db: tx, companyId }, notice);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(await told()).toBe(0);
  await db().transaction((tx) => notifyAdmins({ db: tx, companyId }, notice));
  expect(await told()).toBe(1);
});
