import { afterEach, beforeEach, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";

import { setOutgoingScan } from "#server/core/access/companies/outgoing-scan.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { checkSpamFilter } from "./check-spam-filter.ts";

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

test.each(["redis", "sqlite3"] as const)(
  "passes for an rspamd that learns into %s",
  async (backend) => {
    rspamd.backend = backend;
    for (let round = 0; round < 2; round++)
      expect(await checkSpamFilter(db(), config())).toEqual({
        part: "spam",
        state: "ok",
        found: "rspamd 3.4 scans incoming mail and learns (0 spam and 1 ham so far)",
      });
  },
);

test("warns about an rspamd without a statistics backend, as in Debian's package", async () => {
  rspamd.backend = null;
  const finding = await checkSpamFilter(db(), config());
  expect(finding).toMatchObject({ part: "spam", state: "warning" });
  expect(finding.found).toContain("learns nothing from Junk: it declined a test message");
  expect(finding.advice).toContain("posthouse settings set rspamd_url own");
});

test("warns about an unreachable rspamd, with instructions to install it unless it is", async () => {
  await rspamd.stop();
  const finding = await checkSpamFilter(db(), config(), "/nonexistent");
  expect(finding).toMatchObject({ part: "spam", state: "warning" });
  expect(finding.found).toContain(`rspamd at ${rspamd.url} does not respond`);
  expect(finding.advice).toContain("apt-get install -y --no-install-recommends rspamd");
  const { advice } = await checkSpamFilter(db(), config(), process.execPath);
  expect(advice).toMatch(/^Run `posthouse settings set rspamd_url own`/);
});

test("connects to the private rspamd through its sockets, and reports when it isn't running", async () => {
  await point("own");
  const finding = await checkSpamFilter(db(), config());
  expect(finding).toMatchObject({ state: "warning" });
  expect(finding.found).toContain("Posthouse's own rspamd does not respond");
  expect(finding.advice).toContain("posthouse logs --process mail");
  expect(finding.advice).not.toContain("settings set");
});

test("warns if outgoing mail isn't scanned although a company wants it", async () => {
  const ctx = aContext((await aCompany()).id);
  await setOutgoingScan(ctx, "reject");
  await point("off");
  expect(await checkSpamFilter(db(), config())).toMatchObject({
    state: "warning",
    found: expect.stringMatching(/Outgoing mail of .+ isn't scanned$/) as string,
  });
  await setOutgoingScan(ctx, "off");
});

test("warns if outgoing mail isn't scanned although the operator requires it", async () => {
  await point("off");
  const ctx = aContext((await aCompany()).id);
  await changeSetting(db(), "outgoing_scan_minimum", "reject");
  // Clears the cache.
  await setOutgoingScan(ctx, "hold");
  expect(await checkSpamFilter(db(), config())).toMatchObject({
    state: "warning",
    found: expect.stringMatching(/Outgoing mail isn't scanned$/) as string,
  });
  await changeSetting(db(), "outgoing_scan_minimum", "off");
  await setOutgoingScan(ctx, "off");
});

test("passes if rspamd is turned off", async () => {
  await point("off");
  expect(await checkSpamFilter(db(), config())).toMatchObject({ state: "ok" });
});
