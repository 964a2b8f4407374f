import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";

import {
  admins,
  emailBodies,
  emails,
  outbox,
  suppressions,
  webhookAttempts,
  webhookEvents,
  webhooks,
} from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin, aSuppression, aWebhook } from "#server/testing/factories.ts";

import { ensurePlatform } from "#server/core/domains/own-domain/ensure-platform.ts";

import { sendNotice } from "./send-notice.ts";

const LONG_AGO = "2026-03-04T10:15:00Z";

beforeEach(async () => {
  await db().delete(outbox);
  await db().delete(emails);
});

/** A company with two owners whose webhook was disabled, and the job that notifies them. */
async function aDisabledWebhook() {
  const company = await aCompany({ name: "Northwind & Sons" });
  const owners = [
    await anAdmin(company.id, { isOwner: true, name: "Ann Lee" }),
    await anAdmin(company.id, { isOwner: true }),
  ];
  const webhook = await aWebhook(company.id, {
    endpoint: "https://hooks.example.net/t/very-secret-path?token=abc",
    status: "disabled",
    failures: 100,
    failingSince: LONG_AGO,
    disabledForFailuresAt: LONG_AGO,
  });
  const notice = { kind: "webhook_disabled" as const, webhookId: webhook.id };
  return { company, owners, webhook, job: { id: uuidv7(), companyId: company.id, notice } };
}

const sent = () =>
  db()
    .select({ email: emails, body: emailBodies })
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .orderBy(emails.createdAt);
const receivers = async () => (await sent()).flatMap(({ email }) => email.to).sort();
const addresses = (people: { email: string }[]) => people.map(({ email }) => email).sort();

async function anEvent(webhook: { id: string; companyId: string }, error: string | null) {
  const [event] = await db()
    .insert(webhookEvents)
    .values({
      webhookId: webhook.id,
      companyId: webhook.companyId,
      type: "email.sent",
      payload: { type: "email.sent", created_at: LONG_AGO, data: {} },
      status: error ? "failed" : "pending",
      attempts: error ? 1 : 0,
      nextAttemptAt: error ? null : LONG_AGO,
    })
    .returning();
  if (error)
    await db()
      .insert(webhookAttempts)
      .values({ eventId: event!.id, number: 1, error, durationMs: 5, sentAt: LONG_AGO });
}

test("each owner gets an email that names the endpoint's host and not its path", async () => {
  const { owners, webhook, job } = await aDisabledWebhook();
  await anEvent(webhook, "HTTP 500");
  await anEvent(webhook, null);
  await anEvent(webhook, null);

  await sendNotice(db(), job);

  const platform = await ensurePlatform(db());
  expect(await receivers()).toEqual(addresses(owners));
  const [{ email, body }] = (await sent()) as [Awaited<ReturnType<typeof sent>>[number]];
  expect(email).toMatchObject({
    companyId: platform.companyId,
    apiKeyId: null,
    from: `Posthouse <posthouse@${platform.domain}>`,
    subject: "Your webhook to hooks.example.net was disabled",
    lastEvent: "sent",
  });
  expect(await db().$count(outbox)).toBe(2);
  expect(body.headers).toEqual({ "Auto-Submitted": "auto-generated" });
  for (const part of [body.text!, body.html!]) {
    expect(part).not.toContain("secret");
    expect(part).not.toContain("token");
    expect(part).toContain(`/console/webhooks/${webhook.id}`);
    expect(part).toContain("100 attempts in a row failed, the first on March 4, 2026 at 10:15 UTC");
    expect(part).toContain("The endpoint failed with a server error (HTTP 500).");
    expect(part).toContain("Pending events: 2. Failed events: 1.");
  }
  expect(body.text).toContain("Northwind & Sons");
  expect(body.html).toContain("Northwind &amp; Sons");
});

test("sequential and concurrent runs of a job send one email", async () => {
  const { owners, job } = await aDisabledWebhook();

  const runs = await Promise.allSettled([sendNotice(db(), job), sendNotice(db(), job)]);
  expect(runs.filter(({ status }) => status === "fulfilled")).not.toHaveLength(0);
  await sendNotice(db(), job);

  expect(await receivers()).toEqual(addresses(owners));
});

test("a later run notifies only the owner added since the first run", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  await sendNotice(db(), job);
  const third = await anAdmin(company.id, { isOwner: true });

  await sendNotice(db(), job);

  expect(await receivers()).toEqual(addresses([...owners, third]));
});

test("only owners of this company who have access are notified", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  await anAdmin(company.id, { privileges: ["api_controls"] });
  await anAdmin((await aCompany()).id, { isOwner: true });
  await db().update(admins).set({ disabledAt: LONG_AGO }).where(eq(admins.id, owners[0]!.id));

  await sendNotice(db(), job);

  expect(await receivers()).toEqual([owners[1]!.email]);
});

test("nothing is sent once the webhook is enabled again, deleted, or of another company", async () => {
  const { webhook, job } = await aDisabledWebhook();
  await sendNotice(db(), { ...job, companyId: (await aDisabledWebhook()).company.id });
  await db()
    .update(webhooks)
    .set({ status: "enabled", disabledForFailuresAt: null })
    .where(eq(webhooks.id, webhook.id));
  await sendNotice(db(), job);
  await sendNotice(db(), { ...job, notice: { ...job.notice, webhookId: randomUUID() } });

  expect(await db().$count(emails)).toBe(0);
});

test("fails over the sending limit, and a later run sends", async () => {
  const { owners, job } = await aDisabledWebhook();
  await changeSetting(db(), "hourly_recipients_company", "1");
  await expect(sendNotice(db(), job)).rejects.toThrow("Hourly sending limit reached");
  expect(await db().$count(emails)).toBe(0);

  await changeSetting(db(), "hourly_recipients_company", "450");
  await expect.poll(() => sendNotice(db(), job).catch(() => "refused")).toBeUndefined();
  expect(await receivers()).toEqual(addresses(owners));
});

test("the company's suppression list doesn't apply to notices", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  await aSuppression(company.id, { email: owners[0]!.email });

  await sendNotice(db(), job);

  expect(await db().$count(outbox)).toBe(2);
  expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(1);
});

test("a webhook that fails for a day is reported while it is enabled", async () => {
  const { company, owners, webhook, job } = await aDisabledWebhook();
  const values = { status: "enabled" as const, disabledForFailuresAt: null, failures: 9 };
  await db().update(webhooks).set(values).where(eq(webhooks.id, webhook.id));
  await anEvent(webhook, "ENOTFOUND");

  const notice = { kind: "webhook_failing" as const, webhookId: webhook.id };
  await sendNotice(db(), { id: job.id, companyId: company.id, notice });

  const [first] = await sent();
  expect(await receivers()).toEqual(addresses(owners));
  expect(first!.email.subject).toBe("Your webhook to hooks.example.net has been failing for a day");
  expect(first!.body.text).toContain("has failed since March 4, 2026 at 10:15 UTC");
  expect(first!.body.text).toContain("The hostname does not exist in DNS.");
});
