import { beforeEach, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { invalidateSettings, readSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { changeSetting } from "./change-setting.ts";
import { listSettings } from "./list-settings.ts";

let cookie: string;
let email: string;
beforeEach(async () => {
  await db().delete(settings);
  invalidateSettings();
  ({ cookie, email } = await anOperatorSession());
});

const change = (name: string, value: string | null) =>
  callFromPage(changeSetting, { cookie, params: { name }, body: { value } });
type Listed = {
  settings: { name: string; value: unknown; changed_at: string | null }[];
  changes: { actor: string; action: string; details: object }[];
};
const list = async () => (await callFromPage(listSettings, { cookie })).body as Listed;
const of = async (name: string) =>
  (await list()).settings.find((setting) => setting.name === name)!;

test("settings have defaults and bounds, and changes are applied, recorded and reset", async () => {
  expect(await of("requests_in_progress")).toMatchObject({
    ...{ value: 25, default: 25, min: 1, max: 10_000, changed_at: null, kind: "number" },
  });

  expect((await change("requests_in_progress", " 40 ")).status).toBe(200);
  expect(await of("requests_in_progress")).toMatchObject({ value: 40, default: 25 });
  expect((await of("requests_in_progress")).changed_at).not.toBeNull();
  expect(await readSettings(db())).toMatchObject({ requests_in_progress: 40 });

  expect((await change("requests_in_progress", null)).status).toBe(200);
  expect(await of("requests_in_progress")).toMatchObject({ value: 25, changed_at: null });
  const { changes } = await list();
  expect(changes.slice(0, 2)).toMatchObject([
    { actor: email, action: "setting.reset", details: { from: 40, to: 25 } },
    {
      ...{ actor: email, action: "setting.changed" },
      details: { setting: "requests_in_progress", from: 25, to: 40 },
    },
  ]);
});

test("the secret part of a URL isn't shown, in the list or in the audit log", async () => {
  expect(await of("alarm_slack_url")).toMatchObject({ value: "none", masked: false });
  const url = "https://hooks.slack.test/services/T/B/secret";
  await change("alarm_slack_url", url);
  const masked = "https://hooks.slack.test/…";
  expect(await of("alarm_slack_url")).toMatchObject({ value: masked, masked: true });
  expect(await change("alarm_slack_url", masked)).toMatchObject({ status: 422 });
  expect(await readSettings(db())).toMatchObject({ alarm_slack_url: url });
  await change("alarm_slack_url", null);
  const { changes } = await list();
  expect(changes.slice(0, 2)).toMatchObject([
    { action: "setting.reset", details: { from: "https://hooks.slack.test/…", to: "none" } },
    { action: "setting.changed", details: { from: "none", to: "https://hooks.slack.test/…" } },
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

test("unknown settings are not found", async () => {
  expect((await change("nothing", "1")).status).toBe(404);
  expect((await change("nothing", null)).status).toBe(404);
});

test("concurrent changes are recorded in the order in which they applied", async () => {
  await Promise.all([change("scheduled_backlog", "1"), change("scheduled_backlog", "2")]);
  const [last, first] = (await list()).changes as unknown as {
    details: { from: number; to: number };
  }[];
  expect(last!.details.from).toBe(first!.details.to);
});
