import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import {
  domainFindings,
  mailboxes,
  mailboxUsage,
  outbox,
  preferences,
  quarantine,
  sendingTotals,
} from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox, anApiKey, aWebhook } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { getOverview } from "./get-overview.ts";
import { hideChecklist } from "./hide-checklist.ts";

const MB = 1024 * 1024;

const overviewFor = async (cookie: string) => {
  const { status, body } = await call(getOverview, { cookie });
  expect(status).toBe(200);
  return body as Record<string, Record<string, unknown> | number | null>;
};

/** A company with every problem that the overview reports. */
async function aCompanyWithProblems() {
  const { id: companyId } = await aCompany({ monthlyAllowance: 1000 });
  const domain = await aDomain(companyId);
  const pending = await aDomain(companyId, { status: "pending" });
  const found = { domainId: domain.id, checkedAt: new Date().toISOString() };
  await db()
    .insert(domainFindings)
    .values([
      { ...found, record: "dmarc", isVerified: false },
      { ...found, record: "mx", isVerified: false },
      { ...found, record: "spf", isVerified: true },
    ]);
  const disabledForFailuresAt = new Date().toISOString();
  const disabled = await aWebhook(companyId, { status: "disabled", disabledForFailuresAt });
  const failing = await aWebhook(companyId, { failures: 3, failingSince: disabledForFailuresAt });
  await aWebhook(companyId, { status: "disabled" });
  const full = await aMailbox(domain, { quotaMb: 10, sendingHeldAt: disabledForFailuresAt });
  await db()
    .insert(mailboxUsage)
    .values({ address: full.address, usedBytes: 9 * MB });
  const roomy = await aMailbox(domain, { quotaMb: 10 });
  await db()
    .insert(mailboxUsage)
    .values({ address: roomy.address, usedBytes: 9 * MB - 1 });
  await queuedEmails(domain, [["ann@example.net"], ["ben@example.net"]]);
  await db()
    .update(outbox)
    .set({ createdAt: sql`clock_timestamp() - interval '1 hour'` })
    .where(sql`recipient = 'ann@example.net'`);
  await db()
    .insert(quarantine)
    .values([
      { companyId, reason: "spam", sender: "", recipients: ["a@b.test"], size: 1 },
      { companyId, reason: "moderation", sender: "", recipients: ["g@b.test"], size: 1 },
    ]);
  const month = new Date().toISOString().slice(0, 8) + "01";
  await db().insert(sendingTotals).values({ scope: companyId, month, monthRecipients: 950 });
  return { companyId, domain, pending, disabled, failing, full };
}

test("reports every problem with its ID", async () => {
  const { companyId, domain, pending, disabled, failing, full } = await aCompanyWithProblems();
  const all: Privilege[] = [
    ...(["api_controls", "view_users", "reset_user_passwords"] as const),
    ...(["update_users", "manage_groups"] as const),
  ];

  expect(await overviewFor(await aSession(companyId, all))).toMatchObject({
    queue: {
      ...{ waiting: 2, is_cut: false },
      oldest_seconds: expect.closeTo(3600, -2) as number,
    },
    month: { used: 950, allowed: 1000 },
    domains: {
      count: 2,
      first: [
        { id: pending.id, status: "pending" },
        { id: domain.id, status: "verified", missing: ["dmarc"] },
      ],
    },
    webhooks: {
      count: 2,
      first: [
        { id: disabled.id, is_disabled: true },
        { id: failing.id, is_disabled: false, failures: 3 },
      ],
    },
    mailboxes: {
      count: 1,
      first: [{ address: full.address, used_bytes: 9 * MB, quota_bytes: 10 * MB }],
    },
    ...{ mailboxes_on_hold: 1, quarantined: 2 },
  });
});

test.each<[Privilege[], string[]]>([
  [[], []],
  [["api_controls"], ["queue", "month", "domains", "webhooks", "checklist"]],
  [["domains"], ["domains"]],
  [["manage_settings"], ["month"]],
  [["view_users"], ["mailboxes"]],
  [["reset_user_passwords"], ["mailboxes_on_hold"]],
  [["update_users"], ["quarantined"]],
])("admins with %j see %j and nothing else", async (privileges, parts) => {
  const { companyId } = await aCompanyWithProblems();
  const overview = await overviewFor(await aSession(companyId, privileges));
  const shown = Object.entries(overview).filter(([, part]) => part !== null);
  expect(shown.map(([name]) => name)).toEqual(expect.arrayContaining(parts));
  expect(shown).toHaveLength(parts.length);
});

test("without manage_groups, quarantined group posts aren't counted", async () => {
  const { companyId } = await aCompanyWithProblems();
  const cookie = await aSession(companyId, ["update_users"]);
  expect(await overviewFor(cookie)).toMatchObject({ quarantined: 1 });
});

test("a role limited to a unit sees only that unit's mailboxes", async () => {
  const { companyId, sales, inSales, inRoot } = await aMailCompany();
  for (const address of [inSales, inRoot]) {
    await db().insert(mailboxUsage).values({ address, usedBytes: 1e12 });
    const onHold = { sendingHeldAt: new Date().toISOString() };
    await db()
      .update(mailboxes)
      .set(onHold)
      .where(sql`address = ${address}`);
  }
  const roleOf = (...privileges: Privilege[]) => aSessionOfRole(companyId, sales, privileges);

  const overview = await overviewFor(await roleOf("view_users", "reset_user_passwords"));
  expect(overview).toMatchObject({
    mailboxes: { count: 1, first: [{ address: inSales }] },
    ...{ mailboxes_on_hold: 1, quarantined: null, queue: null, month: null },
  });
});

test("excludes other companies' problems", async () => {
  await aCompanyWithProblems();
  const { id } = await aCompany();
  const privileges: Privilege[] = ["api_controls", "view_users", "update_users"];
  expect(await overviewFor(await aSession(id, privileges))).toMatchObject({
    queue: { waiting: 0, oldest_seconds: null },
    ...{ domains: { count: 0, first: [] }, webhooks: { count: 0 }, mailboxes: { count: 0 } },
    ...{ quarantined: 0, month: { used: 0, allowed: null } },
  });
});

test("returns the checklist until an email is delivered", async () => {
  const { id: companyId } = await aCompany();
  const cookie = await aSession(companyId);
  const stepsOf = async () => (await overviewFor(cookie)).checklist;
  const nothing = { is_verified: false, has_key: false, has_sent: false, is_hidden: false };
  expect(await stepsOf()).toEqual({ domain: null, ...nothing });

  const pending = await aDomain(companyId, { status: "pending" });
  expect(await stepsOf()).toMatchObject({ domain: { id: pending.id }, is_verified: false });
  const domain = await aDomain(companyId);
  expect(await stepsOf()).toMatchObject({ domain: { name: domain.name }, is_verified: true });
  await anApiKey(companyId);
  await placedEmails(domain, [{ sentAt: new Date().toISOString(), types: ["sent", "bounced"] }]);
  expect(await stepsOf()).toMatchObject({ has_key: true, has_sent: true });
  await placedEmails(domain, [{ sentAt: new Date().toISOString(), types: ["sent", "delivered"] }]);
  expect(await stepsOf()).toBeNull();
});

test("an admin hides and shows the checklist, for themselves and one company", async () => {
  const { id: companyId } = await aCompany();
  const [mine, theirs] = [await aSession(companyId), await aSession(companyId)];
  const hide = (isHidden: boolean) =>
    callFromPage(hideChecklist, { cookie: mine, body: { is_hidden: isHidden } });
  const isHidden = async (cookie: string) =>
    ((await overviewFor(cookie)).checklist as { is_hidden: boolean }).is_hidden;

  await hide(true);
  await hide(true);
  expect([await isHidden(mine), await isHidden(theirs)]).toEqual([true, false]);
  const kept = await db().select().from(preferences);
  expect(kept).toContainEqual(
    expect.objectContaining({ choices: { checklists_put_away: [companyId] } }),
  );
  expect(await hide(false)).toMatchObject({ status: 200 });
  expect(await isHidden(mine)).toBe(false);
});

test("hiding the checklist requires api_controls", async () => {
  const cookie = await aSession((await aCompany()).id, ["domains"]);
  const body = { is_hidden: true };
  expect(await callFromPage(hideChecklist, { cookie, body })).toMatchObject({ status: 403 });
});
