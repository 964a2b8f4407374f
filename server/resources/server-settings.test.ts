import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import {
  companies,
  sendingSeconds,
  sendingTotals,
  settings,
  suppressions,
} from "#drizzle/schema/index.ts";
import { invalidateSettings, readSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox, aSuppression } from "#server/testing/factories.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { serverSettingsConsole } from "./server-settings.ts";

let cookie: string;
let email: string;
beforeEach(async () => {
  await db().delete(settings);
  invalidateSettings();
  ({ cookie, email } = await anOperatorSession());
});

const save = (values: Record<string, string>) =>
  callFromPage(serverSettingsConsole.save, { cookie, body: { values } });
const change = (name: string, value: string) => save({ [name]: value });
type Listed = {
  settings: { name: string; value: unknown; changedAt: string | null }[];
  changes: { actor: string; text: string }[];
};
const list = async () =>
  (await callFromPage(serverSettingsConsole.list, { cookie })).body as Listed;
const of = async (name: string) =>
  (await list()).settings.find((setting) => setting.name === name)!;

test("settings have defaults and bounds, and changes are applied, recorded and reset", async () => {
  expect(await of("requests_in_progress")).toMatchObject({
    value: 25,
    default: 25,
    min: 1,
    max: 10_000,
    changedAt: null,
    kind: "number",
  });

  expect((await change("requests_in_progress", " 40 ")).status).toBe(200);
  expect(await of("requests_in_progress")).toMatchObject({ value: 40, default: 25 });
  expect((await of("requests_in_progress")).changedAt).not.toBeNull();
  expect(await readSettings(db())).toMatchObject({ requests_in_progress: 40 });

  expect((await change("requests_in_progress", "25")).status).toBe(200);
  expect(await of("requests_in_progress")).toMatchObject({ value: 25, changedAt: null });
  const { changes } = await list();
  expect(changes.slice(0, 2)).toMatchObject([
    {
      actor: email,
      text: "changed “Concurrent API requests per company” from 40 to 25",
    },
    {
      actor: email,
      text: "changed “Concurrent API requests per company” from 25 to 40",
    },
  ]);
});

test("the secret part of a URL isn't shown, in the list or in the audit log", async () => {
  expect(await of("alarm_slack_url")).toMatchObject({ value: "none" });
  const url = "https://hooks.slack.test/services/T/B/secret";
  await change("alarm_slack_url", url);
  const masked = "https://hooks.slack.test/…";
  expect(await of("alarm_slack_url")).toMatchObject({ value: masked });
  expect(await change("alarm_slack_url", masked)).toMatchObject({ status: 422 });
  expect(await readSettings(db())).toMatchObject({ alarm_slack_url: url });
  await change("alarm_slack_url", "none");
  const { changes } = await list();
  expect(changes.slice(0, 2)).toMatchObject([
    { text: expect.stringMatching("from https://hooks.slack.test/… to none") as string },
    { text: expect.stringMatching("from none to https://hooks.slack.test/…") as string },
  ]);
});

test.each([
  ["requests_in_progress", "0", /whole number from 1 to 10000/],
  ["requests_in_progress", "many", /whole number/],
  ["region", "Not A Region", /lowercase/],
])("%s rejects %s", async (name, value, message) => {
  expect(await change(name, value)).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(message) as string },
  });
  expect(await db().$count(settings)).toBe(0);
});

type Preview = {
  over: { name: string; used: number | null }[];
  overCount: number;
  deletes: number;
};
const preview = async (name: string, value: string) => {
  const body = { values: { [name]: value } };
  const answer = await callFromPage(serverSettingsConsole.preview, { cookie, body });
  return { status: answer.status, body: (answer.body as Preview[])[0]! };
};

test("a preview names the companies that use more than a new limit today, and changes nothing", async () => {
  const [alder, birch, cedar] = await Promise.all(
    ["Alder", "Birch", "Cedar"].map((name) => aCompany({ name: `${name} ${Date.now()}` })),
  );
  const second = Math.floor(Date.now() / 1000);
  await db()
    .insert(sendingSeconds)
    .values([
      { scope: alder!.id, second, recipients: 700_000 },
      { scope: alder!.id, second: second - 60, recipients: 1 },
      { scope: birch!.id, second, recipients: 700_002 },
      { scope: cedar!.id, second, recipients: 700_000 },
      { scope: cedar!.id, second: second - 4_000, recipients: 5 },
    ]);
  expect((await preview("hourly_recipients_company", " 700000 ")).body).toEqual({
    name: "hourly_recipients_company",
    over: [
      { id: birch!.id, name: birch!.name, used: 700_002 },
      { id: alder!.id, name: alder!.name, used: 700_001 },
    ],
    overCount: 2,
    deletes: null,
  });
  await db().insert(sendingTotals).values({ scope: cedar!.id, scheduledRecipients: 90_000 });
  expect((await preview("scheduled_backlog", "89999")).body.over).toMatchObject([
    { name: cedar!.name, used: 90_000 },
  ]);

  const { address } = await aMailbox(await aDomain(alder!.id));
  const to = ["a@there.test", "b@there.test", "c@there.test"];
  await anAcceptedMessage({ companyId: alder!.id, mailbox: address, to });
  await anAcceptedMessage({ companyId: alder!.id, mailbox: address, to: to.slice(1) });
  expect((await preview("hourly_recipients_mailbox", "4")).body.over).toMatchObject([
    { name: alder!.name, used: 5 },
  ]);
  expect((await preview("hourly_recipients_mailbox", "5")).body.overCount).toBe(0);
  expect(await db().$count(settings)).toBe(0);
});

test("a preview names the companies that scan less than a new minimum", async () => {
  const { id, name } = await aCompany({ name: `Elm ${Date.now()}` });
  const isNamed = async (value: string) =>
    (await preview("outgoing_scan_minimum", value)).body.over.some((one) => one.name === name);
  await db().update(companies).set({ outgoingScan: "reject" }).where(eq(companies.id, id));
  const before = (await preview("outgoing_scan_minimum", "reject")).body.overCount;
  expect((await preview("outgoing_scan_minimum", "hold")).body.overCount).toBe(before + 1);
  expect(await isNamed("reject")).toBe(false);
  expect((await preview("outgoing_scan_minimum", "off")).body.overCount).toBe(0);
});

test("a preview counts what a shorter time to keep deletes", async () => {
  const company = await aCompany();
  await aSuppression(company.id, {
    email: "a@there.test",
    origin: "bounce",
    sourceId: randomUUID(),
  });
  await aSuppression(company.id, { email: "b@there.test", origin: "complaint" });
  await db()
    .update(suppressions)
    .set({ createdAt: sql`created_at - interval '3000 days'` })
    .where(eq(suppressions.companyId, company.id));
  expect((await preview("keep_suppressions_days", "2999")).body.deletes).toBe(1);
  expect((await preview("keep_suppressions_days", "3001")).body.deletes).toBe(0);
  expect((await preview("keep_suppressions_days", "0")).body.deletes).toBe(0);
  for (const name of ["keep_emails_days", "keep_audit_days", "keep_contacts_days"])
    expect((await preview(name, "30")).body.deletes).toBe(0);
  expect((await preview("keep_deleted_days", "30")).body.deletes).toBe(0);
});

test("a preview rejects what a change would", async () => {
  expect((await preview("scheduled_backlog", "many")).status).toBe(422);
  expect((await preview("nothing", "1")).status).toBe(404);
});

test("unknown settings are not found", async () => {
  expect((await change("nothing", "1")).status).toBe(404);
});

test("several settings are saved together, or none, with all problems listed", async () => {
  const good = { scheduled_backlog: "7", region: "us-east", keep_audit_days: "0" };
  expect((await save(good)).status).toBe(200);
  expect(await readSettings(db())).toMatchObject({ scheduled_backlog: 7, region: "us-east" });
  expect(await db().$count(settings)).toBe(2);

  const bad = { scheduled_backlog: "8", region: "Not A Region", operator_second_factor: "on" };
  expect(await save(bad)).toMatchObject({
    status: 422,
    body: {
      fields: [
        { path: "values.region", message: expect.stringMatching(/^must be 1 to 63/) as string },
        { path: "values.operatorSecondFactor", message: "must be optional or required" },
      ],
    },
  });
  expect(await readSettings(db())).toMatchObject({ scheduled_backlog: 7, region: "us-east" });
});

test("concurrent changes are recorded in the order in which they applied", async () => {
  await Promise.all([change("scheduled_backlog", "1"), change("scheduled_backlog", "2")]);
  const [last, first] = (await list()).changes;
  const [, from] = /from (\S+) to/.exec(last!.text)!;
  expect(first!.text).toMatch(new RegExp(`to ${from}$`));
});
