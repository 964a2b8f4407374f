import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import {
  domainFindings,
  mailboxes,
  mailboxSignIns,
  mailboxUsage,
  outbox,
  people,
  preferences,
  quarantine,
  sendingTotals,
  webhooks,
} from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import {
  aCompany,
  aDomain,
  aMailbox,
  anAdmin,
  anApiKey,
  aWebhook,
} from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { overviewConsole } from "./overview.ts";

const MB = 1024 * 1024;

const overviewFor = async (cookie: string) => {
  const { status, body } = await call(overviewConsole.get, { cookie });
  expect(status).toBe(200);
  return body as Record<string, unknown> & { problems: ProblemAnswer[] };
};

type ProblemAnswer = { kind: string; count: number; state: string; snoozedUntil: string | null };

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

const ALL: Privilege[] = [
  ...(["api_controls", "view_users", "reset_user_passwords"] as const),
  ...(["update_users", "manage_groups"] as const),
];

test("groups every problem, worst first, with its objects", async () => {
  const { companyId, domain, pending, disabled, failing, full } = await aCompanyWithProblems();
  const overview = await overviewFor(await aSession(companyId, ALL));
  expect(overview).toMatchObject({
    queue: {
      emails: 2,
      isCut: false,
      oldestSeconds: expect.closeTo(3600, -2) as number,
    },
    month: { used: 950, allowed: 1000 },
    nearlyFull: 1,
    onHold: 1,
    quarantined: 2,
    problems: [
      { kind: "mailboxes_on_hold", count: 1 },
      { kind: "webhooks_disabled", count: 1, webhooks: [{ id: disabled.id }] },
      { kind: "domains_unverified", domains: [{ id: pending.id, status: "pending" }] },
      { kind: "records_missing", count: 1, domains: [{ id: domain.id, missing: ["dmarc"] }] },
      { kind: "webhooks_failing", webhooks: [{ id: failing.id, failures: 3 }] },
      { kind: "queue_delayed" },
      { kind: "month_nearly_used" },
      {
        kind: "mailboxes_nearly_full",
        mailboxes: [{ address: full.address, usedBytes: 9 * MB, quotaBytes: 10 * MB }],
      },
    ],
  });
});

test("counts full mailboxes apart from nearly full ones", async () => {
  const { companyId, domain } = await aCompanyWithProblems();
  for (const used of [10, 12]) {
    const { address } = await aMailbox(domain, { quotaMb: 10 });
    await db()
      .insert(mailboxUsage)
      .values({ address, usedBytes: used * MB });
  }
  const cookie = await aSession(companyId, ["view_users"]);
  const overview = await overviewFor(cookie);
  expect(overview.problems).toMatchObject([
    { kind: "mailboxes_full", count: 2 },
    { kind: "mailboxes_nearly_full", count: 1 },
  ]);
});

test.each<[Privilege[], string[], string[]]>([
  [[], [], []],
  [
    ["api_controls"],
    ["queue", "month", "checklist"],
    [
      "webhooks_disabled",
      "domains_unverified",
      "records_missing",
      "webhooks_failing",
      "queue_delayed",
      "month_nearly_used",
    ],
  ],
  [["domains"], [], ["domains_unverified", "records_missing"]],
  [["manage_settings"], ["month"], ["month_nearly_used"]],
  [["view_users"], ["nearlyFull"], ["mailboxes_nearly_full"]],
  [["create_users"], ["checklist"], []],
  [["reset_user_passwords"], ["onHold"], ["mailboxes_on_hold"]],
  [["update_users"], ["quarantined"], []],
])("admins with %j see %j and nothing else", async (privileges, parts, kinds) => {
  const { companyId } = await aCompanyWithProblems();
  const { problems, ...overview } = await overviewFor(await aSession(companyId, privileges));
  const shown = Object.entries(overview).filter(([, part]) => part !== null);
  expect(shown.map(([name]) => name).toSorted()).toEqual(parts.toSorted());
  expect(problems.map(({ kind }) => kind)).toEqual(kinds);
});

test("without manage_groups, quarantined group posts aren't counted", async () => {
  const { companyId } = await aCompanyWithProblems();
  const cookie = await aSession(companyId, ["update_users"]);
  expect(await overviewFor(cookie)).toMatchObject({ quarantined: 1 });
});

test("a role limited to a unit sees and snoozes only that unit's mailboxes", async () => {
  const { companyId, sales, inSales, inRoot } = await aMailCompany();
  for (const address of [inSales, inRoot]) {
    await db().insert(mailboxUsage).values({ address, usedBytes: 1e12 });
    const onHold = { sendingHeldAt: new Date().toISOString() };
    await db()
      .update(mailboxes)
      .set(onHold)
      .where(sql`address = ${address}`);
  }
  const cookie = await aSessionOfRole(companyId, sales, ["view_users", "reset_user_passwords"]);
  const overview = await overviewFor(cookie);
  expect(overview).toMatchObject({
    problems: [
      { kind: "mailboxes_full", count: 1, mailboxes: [{ address: inSales }] },
      { kind: "mailboxes_on_hold", count: 1 },
    ],
    onHold: 1,
    quarantined: null,
    queue: null,
    month: null,
    checklist: null,
  });
  const { kind, state } = overview.problems[0]!;
  const body = { kind, state, days: 7 };
  expect(await callFromPage(overviewConsole.snoozeProblem, { cookie, body })).toMatchObject({
    status: 200,
  });
  const unseen = { kind: "queue_delayed", state, days: 7 };
  expect(await callFromPage(overviewConsole.snoozeProblem, { cookie, body: unseen })).toMatchObject(
    {
      status: 404,
    },
  );
});

test("excludes other companies' problems", async () => {
  await aCompanyWithProblems();
  const { id } = await aCompany();
  expect(await overviewFor(await aSession(id, ALL))).toMatchObject({
    queue: { emails: 0, oldestSeconds: null },
    problems: [],
    quarantined: 0,
    month: { used: 0, allowed: null },
  });
});

describe("snoozing", () => {
  const snoozedOf = async (cookie: string, kind: string) =>
    (await overviewFor(cookie)).problems.find((one) => one.kind === kind);
  const snooze = async (cookie: string, kind: string, days: number | null, state?: string) => {
    const seen = state ?? (await snoozedOf(cookie, kind))!.state;
    return callFromPage(overviewConsole.snoozeProblem, {
      cookie,
      body: { kind, days, state: seen },
    });
  };

  test("lasts until its end, for one admin in one company", async () => {
    const { companyId } = await aCompanyWithProblems();
    const [mine, theirs] = [await aSession(companyId, ALL), await aSession(companyId, ALL)];
    await snooze(mine, "webhooks_failing", 7);
    await snooze(mine, "mailboxes_nearly_full", 1);
    const shown = await snoozedOf(mine, "webhooks_failing");
    const days = (Date.parse(shown!.snoozedUntil!) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 1);
    expect(await snoozedOf(theirs, "webhooks_failing")).toMatchObject({ snoozedUntil: null });

    await snooze(mine, "webhooks_failing", null);
    expect(await snoozedOf(mine, "webhooks_failing")).toMatchObject({ snoozedUntil: null });
    const path = `{snoozes,${companyId},mailboxes_nearly_full,until}`;
    await db().execute(sql`
      update preferences set choices = jsonb_set(choices, ${path}::text[], '"2020-01-01T00:00:00Z"')
      where choices -> 'snoozes' ? ${companyId}`);
    expect(await snoozedOf(mine, "mailboxes_nearly_full")).toMatchObject({ snoozedUntil: null });
  });

  test("ends when the problem gets worse, not when it gets better", async () => {
    const { companyId, failing } = await aCompanyWithProblems();
    const cookie = await aSession(companyId, ALL);
    const failingSince = new Date().toISOString();
    const other = await aWebhook(companyId, { failures: 1, failingSince });
    await snooze(cookie, "webhooks_failing", 7);
    await db()
      .delete(webhooks)
      .where(sql`id = ${other.id}`);
    expect(await snoozedOf(cookie, "webhooks_failing")).toMatchObject({
      count: 1,
      snoozedUntil: expect.any(String) as string,
    });

    // As many as before, but one of them is new.
    await aWebhook(companyId, { failures: 1, failingSince });
    expect(await snoozedOf(cookie, "webhooks_failing")).toMatchObject({ snoozedUntil: null });
    await snooze(cookie, "queue_delayed", 7);
    await db()
      .update(outbox)
      .set({ createdAt: sql`clock_timestamp() - interval '3 hours'` });
    expect(await snoozedOf(cookie, "queue_delayed")).toMatchObject({ snoozedUntil: null });
    expect(failing.id).not.toBe(other.id);
  });

  test("refuses what the admin hasn't seen, and stores no addresses", async () => {
    const { companyId, full } = await aCompanyWithProblems();
    const cookie = await aSession(companyId, ALL);
    expect(await snooze(cookie, "mailboxes_nearly_full", 7, "old")).toMatchObject({ status: 422 });
    expect(await snooze(cookie, "mailboxes_full", 7, "old")).toMatchObject({ status: 404 });
    expect(await snooze(cookie, "mailboxes_nearly_full", 2)).toMatchObject({ status: 422 });
    await snooze(cookie, "mailboxes_nearly_full", 30);
    const kept = JSON.stringify(await db().select().from(preferences));
    expect(kept).toContain(companyId);
    expect(kept).not.toContain(full.address);
  });

  test("keeps simultaneous changes", async () => {
    const { companyId } = await aCompanyWithProblems();
    const cookie = await aSession(companyId, ALL);
    const { problems } = await overviewFor(cookie);
    await Promise.all([
      ...problems.map(({ kind, state }) => snooze(cookie, kind, 7, state)),
      callFromPage(overviewConsole.changeChecklist, {
        cookie,
        body: { isHidden: true, goal: "send" },
      }),
    ]);
    const after = await overviewFor(cookie);
    expect(after.problems.filter((one) => one.snoozedUntil === null)).toEqual([]);
    expect(after.checklist).toMatchObject({ goal: "send", isHidden: true });
  });
});

const undone = (answer: unknown) =>
  (answer as { steps: { name: string; isDone: boolean }[] }).steps
    .filter((step) => !step.isDone)
    .map(({ name }) => name);

test("the checklist of each goal follows what exists", async () => {
  const { id: companyId } = await aCompany();
  const admin = await anAdmin(companyId, { privileges: ["api_controls", "create_users"] });
  const cookie = (await startSession(db(), admin.id)).split(";")[0]!;
  const checklist = async () => (await overviewFor(cookie)).checklist;
  const choose = (goal: string) =>
    callFromPage(overviewConsole.changeChecklist, { cookie, body: { goal } });
  expect(await checklist()).toEqual({
    goal: null,
    goals: ["send", "mailboxes", "both"],
    domain: null,
    mailbox: null,
    steps: [],
    hasSent: false,
    isHidden: false,
  });

  await choose("both");
  const all = ["domain", "dns", "api_key", "send", "mailboxes", "mail_app", "invite"];
  expect(undone(await checklist())).toEqual([...all, "second_factor"]);
  await choose("mailboxes");
  expect(await checklist()).toMatchObject({ goal: "mailboxes" });
  const pending = await aDomain(companyId, { status: "pending" });
  expect(await checklist()).toMatchObject({ domain: { id: pending.id } });

  const domain = await aDomain(companyId);
  expect(undone(await checklist())).toContain("dns");
  const found = { domainId: domain.id, record: "mx" as const, checkedAt: new Date().toISOString() };
  await db()
    .insert(domainFindings)
    .values({ ...found, isVerified: true });
  expect(undone(await checklist())).toEqual(["mailboxes", "mail_app", "invite", "second_factor"]);
  const { address } = await aMailbox(domain);
  await db().insert(mailboxSignIns).values({ address, lastSignIn: 1 });
  await aSession(companyId);
  expect(undone(await checklist())).toEqual(["second_factor"]);

  await choose("send");
  await anApiKey(companyId);
  await placedEmails(domain, [{ sentAt: new Date().toISOString(), types: ["sent", "bounced"] }]);
  expect(await checklist()).toMatchObject({ hasSent: true });
  expect(undone(await checklist())).toEqual(["send", "second_factor"]);
  await placedEmails(domain, [{ sentAt: new Date().toISOString(), types: ["sent", "delivered"] }]);
  await db()
    .update(people)
    .set({ totpSecret: "sealed" })
    .where(sql`email = ${admin.email}`);
  expect(await checklist()).toBeNull();
});

test("a company past its first steps isn't asked for a goal", async () => {
  const { id: companyId } = await aCompany();
  const cookie = await aSession(companyId, ["api_controls", "create_users"]);
  const domain = await aDomain(companyId);
  await placedEmails(domain, [{ sentAt: new Date().toISOString(), types: ["sent", "delivered"] }]);
  expect(await overviewFor(cookie)).toMatchObject({ checklist: null });
});

test("admins get the goals of their privileges, without a choice if there is one", async () => {
  const { id: companyId } = await aCompany();
  for (const [privilege, goal] of [
    ["api_controls", "send"],
    ["create_users", "mailboxes"],
  ] as const)
    expect(await overviewFor(await aSession(companyId, [privilege]))).toMatchObject({
      checklist: { goal, goals: [goal] },
    });
});

test("an admin hides and shows the checklist, for themselves and one company", async () => {
  const { id: companyId } = await aCompany();
  const [mine, theirs] = [await aSession(companyId), await aSession(companyId)];
  const hide = (isHidden: boolean) =>
    callFromPage(overviewConsole.changeChecklist, { cookie: mine, body: { isHidden } });
  const isHidden = async (cookie: string) =>
    ((await overviewFor(cookie)).checklist as { isHidden: boolean }).isHidden;

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
