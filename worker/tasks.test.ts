import { runOnce } from "graphile-worker";
import { eq, sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import {
  emailBodies,
  emails,
  greylist,
  mtaStsPolicies,
  outbox,
  quarantine,
  sessions,
} from "#drizzle/schema/index.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { db } from "#server/db/pool.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";
import { crontab } from "./crontab.ts";

import { taskList } from "./tasks.ts";

const workThroughQueue = () =>
  runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });
const waitingJobs = async () =>
  (await db().execute(sql`select key from graphile_worker.jobs`)).map(({ key }) => key);
/** The row of a finished job may be deleted a moment after the queue reports it done. */
const expectWaiting = (keys: string[]) =>
  vi.waitFor(async () => expect(await waitingJobs()).toEqual(keys));

test("apply_retention deletes old content each hour and leaves no job behind", async () => {
  await queuedEmails(await aSender(), [["ann@a.example"]]);
  await db().delete(outbox);
  const old = sql`clock_timestamp() - interval '73 hours'`;
  await db().update(emails).set({ sentAt: old });
  await db().update(emailBodies).set({ createdAt: old });

  await enqueue(db(), "apply_retention", { every: "hour" });
  await workThroughQueue();

  expect(await db().$count(emailBodies)).toBe(0);
  await expectWaiting([]);
});

test("apply_retention deletes expired sessions only", async () => {
  const admin = await anAdmin((await aCompany()).id);
  const at = (hours: number) => sql`clock_timestamp() + make_interval(hours => ${hours})`;
  await db()
    .insert(sessions)
    .values([
      { id: "over", userId: admin.id, expiresAt: at(-1) },
      { id: "open", userId: admin.id, expiresAt: at(1) },
    ]);

  await enqueue(db(), "apply_retention", { every: "night" });
  await workThroughQueue();

  expect((await db().select().from(sessions)).map(({ id }) => id)).toEqual(["open"]);
});

test("apply_retention deletes old quarantined messages and greylisting entries", async () => {
  const { id: companyId } = await aCompany();
  const { id } = await quarantineMessage(db(), {
    companyId,
    reason: "spam",
    sender: "",
    recipients: [],
    headerFrom: "",
    subject: "",
    clientAddress: null,
    score: null,
    findings: [],
    content: Buffer.from("x"),
  });
  await db()
    .update(quarantine)
    .set({ createdAt: sql`now() - interval '31 days'` })
    .where(eq(quarantine.id, id));
  await db()
    .insert(greylist)
    .values({
      network: "192.0.2.0/24",
      sender: "a@example.org",
      recipient: "b@example.org",
      lastSeenAt: sql`now() - interval '40 days'`,
    });

  await enqueue(db(), "apply_retention", { every: "hour" });
  await workThroughQueue();

  expect(await db().$count(quarantine, eq(quarantine.companyId, companyId))).toBe(0);
  expect(await db().$count(greylist)).toBe(0);
});

test("apply_retention deletes expired MTA-STS policies too", async () => {
  const terms = { policyId: "1", mode: "none" as const, mx: [], maxAgeSeconds: 60 };
  await db()
    .insert(mtaStsPolicies)
    .values({ domain: "over.test", ...terms, expiresAt: sql`now() - interval '1 second'` });

  await enqueue(db(), "apply_retention", { every: "night" });
  await workThroughQueue();

  expect(await db().$count(mtaStsPolicies)).toBe(0);
});

test("a job exists once however often it is requested, and not at all if its transaction fails", async () => {
  await enqueue(db(), "apply_retention", { every: "hour" });
  await enqueue(db(), "apply_retention", { every: "hour" });
  const failing = db().transaction(async (tx) => {
    await enqueue(tx, "apply_retention", { every: "night" });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");

  await expectWaiting(["apply_retention:hour"]);
  await workThroughQueue();
});

test("every job in the crontab has a task", () => {
  for (const { task } of crontab) expect(taskList).toHaveProperty(task);
});
