import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { domains, emails } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { ensurePlatform, listPlatformRecords } from "#server/core/domains/own-domain/own-domain.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { checkNoticeDelivery, checkNotices } from "./check-notices.ts";

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

test("warns about an admin whose latest notice bounced, until one is delivered", async () => {
  const { companyId, domain: name } = await ensurePlatform(db(), SERVER);
  const [domain] = await db().select().from(domains).where(eq(domains.name, name));
  const company = await aCompany();
  const [ann, ben] = [await anAdmin(company.id), await anAdmin(company.id)];
  const notify = async (address: string, lastEvent: "bounced" | "delivered") => {
    const [id] = await queuedEmails({ ...domain!, companyId }, [[address]]);
    await db().update(emails).set({ lastEvent }).where(eq(emails.id, id!));
  };

  await notify(ann.email, "bounced");
  await notify(ben.email, "delivered");
  await notify("gone@example.net", "bounced");
  const { state, found } = await checkNoticeDelivery(db());
  expect(state).toBe("warning");
  expect(found).toContain(ann.email);
  expect(found).not.toContain(ben.email);
  expect(found).not.toContain("gone@example.net");
  await notify(ann.email, "delivered");
  expect(await checkNoticeDelivery(db())).toMatchObject({ state: "ok" });
});
