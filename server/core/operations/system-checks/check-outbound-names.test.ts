import { afterEach, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";

import { checkOutboundNames } from "./check-outbound-names.ts";

afterEach(async () => {
  await db().delete(settings);
});

const check = (env: Record<string, string> = {}) =>
  checkOutboundNames(db(), readConfig({ POSTHOUSE_HOSTNAME: "mail.here.test", ...env }));

test("warns about names that this host doesn't send from", async () => {
  expect(await check()).toMatchObject({ state: "ok" });
  const value = "a.test=mail2.here.test,b.test=mail3.here.test";
  await changeSetting(db(), "outbound_names", value);
  const addresses = "192.0.2.1,192.0.2.2=mail2.here.test";
  expect(await check({ POSTHOUSE_OUTBOUND_ADDRESSES: addresses })).toMatchObject({
    state: "warning",
    found: expect.stringMatching(
      /^Mail that .+ assigns to mail3\.here\.test is sent from mail\.here\.test,/,
    ) as string,
  });
  expect((await check()).found).toContain("mail2.here.test, mail3.here.test");
  expect(
    await check({ POSTHOUSE_ROLES: "web", DATABASE_URL: "postgres://db/posthouse" }),
  ).toMatchObject({ state: "ok" });
  await changeSetting(db(), "outbound_names", "a.test=mail2.here.test");
  expect(await check({ POSTHOUSE_OUTBOUND_ADDRESSES: addresses })).toMatchObject({ state: "ok" });
});
