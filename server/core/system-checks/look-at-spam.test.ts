import { afterEach, beforeEach, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";

import { lookAtSpam } from "./look-at-spam.ts";

let rspamd: FakeRspamd;
const point = (value: string) =>
  db()
    .insert(settings)
    .values({ name: "rspamd_url", value })
    .onConflictDoUpdate({ target: settings.name, set: { value } });

beforeEach(async () => {
  rspamd = await aRspamd();
  await point(rspamd.url);
});

afterEach(() => rspamd.stop());

test("an rspamd that answers is named with its version", async () => {
  expect(await lookAtSpam(db())).toEqual({
    part: "spam",
    state: "ok",
    found: "rspamd 3.4 looks at mail from outside",
  });
});

test("without one it is said what is missing, and how to get it", async () => {
  await rspamd.stop();
  const finding = await lookAtSpam(db());
  expect(finding).toMatchObject({ part: "spam", state: "warning" });
  expect(finding.found).toContain(`no rspamd answers at ${rspamd.url}`);
  expect(finding.advice).toContain("apt-get install rspamd redis-server");
});

test("switched off is nobody's mistake", async () => {
  await point("off");
  expect(await lookAtSpam(db())).toMatchObject({ state: "ok" });
});
