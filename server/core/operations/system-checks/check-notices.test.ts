import { expect, test } from "vitest";

import { readConfig } from "#server/config.ts";
import { listPlatformRecords } from "#server/core/domains/own-domain/platform-records.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";

import { checkNotices } from "./check-notices.ts";

const SERVER = readConfig({ POSTHOUSE_HOSTNAME: "mail.appliance.example" });

test("warns about each missing record until it is published", async () => {
  const [dkim, spf] = await listPlatformRecords(db(), SERVER);
  const published = new Map<string, string>();
  const look = () =>
    checkNotices(db(), SERVER, {
      txt: (name) =>
        Promise.resolve({ kind: "found" as const, records: [published.get(name) ?? "other"] }),
    });

  expect(await look()).toMatchObject([
    { state: "warning", advice: expect.stringContaining("v=DKIM1; k=rsa; p=") as string },
    {
      state: "warning",
      advice: expect.stringContaining("v=spf1 a:mail.appliance.example -all") as string,
    },
  ]);
  published.set(spf!.name, "v=spf1 ip4:192.0.2.1 -all");
  expect(await look()).toMatchObject([{ found: expect.stringContaining(dkim!.name) as string }]);
  published.set(dkim!.name, dkim!.value);
  expect(await look()).toMatchObject([{ state: "ok" }]);
});

test("local mode needs no records", async () => {
  expect(await checkNotices(db(), readConfig({}), createResolver({ dnsServers: null }))).toEqual(
    [],
  );
});
