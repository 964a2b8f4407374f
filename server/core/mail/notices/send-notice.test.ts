// cspell:ignore Eine wurde hinzugefügt
import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";

import {
  adminRoles,
  admins,
  domainFindings,
  emailBodies,
  emails,
  forwardConfirmations,
  fullMailboxes,
  mailboxUsage,
  noticePosts,
  notificationSettings,
  outbox,
  suppressions,
  webhookAttempts,
  webhookEvents,
  webhooks,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aMailbox,
  anAdmin,
  aSuppression,
  aWebhook,
} from "#server/testing/factories.ts";

import { aRole } from "#server/testing/team.ts";

import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { ensurePlatform } from "#server/core/domains/own-domain/own-domain.ts";

import { sendNotice } from "./send-notice.ts";

// Local mode provides no DNS records.
config().localMode = false;

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

test("a mailbox user's notice has the header field that keeps a copy in the inbox", async () => {
  const { id: companyId } = await aCompany();
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  const notice = { kind: "mailbox_factors_changed", mailbox, what: "forwarding_changed" } as const;
  await sendNotice(db(), { id: uuidv7(), companyId, notice });
  const [{ email, body }] = (await sent()) as [Awaited<ReturnType<typeof sent>>[number]];
  expect(email).toMatchObject({ to: [mailbox], subject: "Your forwarding was changed" });
  expect(body.headers).toMatchObject({ "X-Posthouse-Security-Notice": "yes" });
});

test("a mailbox user's notice is in the language they chose, or else in the company's", async () => {
  const { id: companyId } = await aCompany({ language: "de" });
  const domain = await aDomain(companyId);
  const { address: german } = await aMailbox(domain);
  const { address: english } = await aMailbox(domain, { language: "en" });
  for (const mailbox of [german, english]) {
    const notice = { kind: "mailbox_factors_changed", mailbox, what: "totp_added" } as const;
    await sendNotice(db(), { id: uuidv7(), companyId, notice });
  }
  const emails = (await sent()).filter(({ email }) => [german, english].includes(email.to[0]!));
  const subjects = Object.fromEntries(emails.map(({ email }) => [email.to[0]!, email.subject]));
  expect(subjects).toEqual({
    [german]: "Eine Authenticator-App wurde hinzugefügt",
    [english]: "An authenticator app was added",
  });
  const { body } = emails.find(({ email }) => email.to[0] === german)!;
  expect(body.html).toContain('<html lang="de">');
});

test("a forwarding request goes to the address as written, until its owner has answered", async () => {
  const { id: companyId } = await aCompany({ name: "Northwind" });
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  const [row] = await db()
    .insert(forwardConfirmations)
    .values({
      mailbox,
      target: "ben@outside.example",
      written: "Ben@outside.example",
      isFromScript: false,
    })
    .returning();
  const notice = { kind: "forward_requested", confirmationId: row!.id } as const;
  await sendNotice(db(), { id: uuidv7(), companyId, notice });
  const [{ email, body }] = (await sent()) as [Awaited<ReturnType<typeof sent>>[number]];
  expect(email).toMatchObject({
    to: ["Ben@outside.example"],
    subject: `Confirm forwarding from ${mailbox}`,
  });
  expect(body.text).toContain(`${config().baseUrl}/forward/`);
  expect(body.headers).not.toHaveProperty("X-Posthouse-Security-Notice");
  const answered = db().update(forwardConfirmations).set({ declinedAt: LONG_AGO });
  await answered.where(eq(forwardConfirmations.id, row!.id));
  await sendNotice(db(), { id: uuidv7(), companyId, notice });
  expect(await sent()).toHaveLength(1);
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

test("owners and admins who can act on it are notified, unless they turned it off or have no access", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  const developer = await anAdmin(company.id, { privileges: ["api_controls"] });
  await anAdmin(company.id, { privileges: ["domains", "manage_groups"] });
  await anAdmin((await aCompany()).id, { isOwner: true });
  await db().update(admins).set({ disabledAt: LONG_AGO }).where(eq(admins.id, owners[0]!.id));
  const third = await anAdmin(company.id, { isOwner: true });
  const { email } = third;
  await db()
    .insert(notificationSettings)
    .values({ email, companyId: company.id, emailOff: ["webhook"] });
  const other = await aCompany();
  await anAdmin(other.id, { email: developer.email });
  await db()
    .insert(notificationSettings)
    .values({ email: developer.email, companyId: other.id, emailOff: ["webhook"] });

  await sendNotice(db(), job);

  expect(await receivers()).toEqual(addresses([owners[1]!, developer]));
  const [{ body }] = (await sent()) as [Awaited<ReturnType<typeof sent>>[number]];
  expect(body.text).toContain("because you manage Northwind & Sons on this Posthouse appliance");
});

test("a notice is queued once for each URL, even if emails can't be sent", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  const settings = {
    companyId: company.id,
    sealedUrl: seal("notification_url", "https://hooks.example.com/secret"),
  };
  await db()
    .insert(notificationSettings)
    .values([
      { ...settings, email: owners[0]!.email },
      { ...settings, email: owners[1]!.email, urlOff: ["webhook"] },
    ]);
  await changeSetting(db(), "hourly_recipients_company", "1");
  await expect(sendNotice(db(), job)).rejects.toThrow("Hourly sending limit reached");
  await changeSetting(db(), "hourly_recipients_company", "450");
  await expect.poll(() => sendNotice(db(), job).catch(() => "refused")).toBeUndefined();

  const posts = await db().select().from(noticePosts);
  expect(posts).toMatchObject([
    {
      postedAt: null,
      content: {
        kind: "webhook",
        subject: "Northwind & Sons: Your webhook to hooks.example.net was disabled",
        url: expect.stringContaining("/console/webhooks/") as string,
      },
    },
  ]);
  expect(JSON.stringify(posts)).not.toContain("secret");
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

test("suppressions of the company and of the appliance don't apply to notices", async () => {
  const { company, owners, job } = await aDisabledWebhook();
  await aSuppression(company.id, { email: owners[0]!.email });
  const platform = await ensurePlatform(db());
  for (const [index, origin] of (["bounce", "complaint"] as const).entries())
    await aSuppression(platform.companyId, { email: owners[index]!.email, origin });

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

test("missing DNS records are listed until they are found again", async () => {
  const company = await aCompany();
  const owner = await anAdmin(company.id, { isOwner: true });
  const domain = await aDomain(company.id);
  const found = { domainId: domain.id, checkedAt: LONG_AGO, answers: [] };
  await db()
    .insert(domainFindings)
    .values([
      { ...found, record: "mx", isVerified: false },
      { ...found, record: "spf", isVerified: true },
    ]);
  const notice = { kind: "records_missing" as const, domainId: domain.id, records: ["mx", "spf"] };
  const job = { id: uuidv7(), companyId: company.id, notice };
  await sendNotice(db(), { ...job, companyId: (await aCompany()).id });
  await sendNotice(db(), job);
  const [first] = await sent();
  expect(await receivers()).toEqual([owner.email]);
  expect(first!.email.subject).toBe(`DNS record of ${domain.name} is missing`);
  expect(first!.body.text).toContain(`Type MX, name ${domain.name}, priority 10, value`);

  await db().update(domainFindings).set({ isVerified: true });
  await sendNotice(db(), { ...job, id: uuidv7() });
  expect(await sent()).toHaveLength(1);
});

test("an admin of a unit is notified only about the unit's full mailboxes", async () => {
  const { id: companyId } = await aCompany();
  const domain = await aDomain(companyId);
  const unit = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const role = await aRole(companyId, { privileges: ["update_users"], orgUnitId: unit });
  const clerk = await anAdmin(companyId);
  await db().insert(adminRoles).values({ adminId: clerk.id, roleId: role.id });
  const owner = await anAdmin(companyId, { isOwner: true });
  const noticedAt = new Date().toISOString();
  const fill = async (orgUnitId?: number) => {
    const { address } = await aMailbox(domain, { quotaMb: 1, ...(orgUnitId && { orgUnitId }) });
    await db().insert(mailboxUsage).values({ address, usedBytes: 2_000_000 });
    await db().insert(fullMailboxes).values({ address, companyId, isFull: true, noticedAt });
    return address;
  };
  const [elsewhere, inUnit] = [await fill(), await fill(unit)];

  const notice = { kind: "mailboxes_full" as const, noticedAt };
  await sendNotice(db(), { id: uuidv7(), companyId, notice });

  const textTo = async ({ email }: { email: string }) =>
    (await sent()).find(({ email: { to } }) => to[0] === email)!.body.text!;
  expect(await textTo(owner)).toContain(elsewhere);
  expect(await textTo(clerk)).toContain(inUnit);
  expect(await textTo(clerk)).not.toContain(elsewhere);
});
