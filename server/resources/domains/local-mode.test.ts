import { randomBytes } from "node:crypto";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { v7 } from "uuid";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { checkRecords } from "#server/core/domains/dns-checks/check-records.ts";
import { previewChanges } from "#server/core/domains/dns-setup/dns-setup.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { addDomain } from "#server/core/domains/domains/domains.ts";
import { emailRecords } from "#server/core/domains/domains/sending-domains.ts";
import { verifyDomain } from "#server/core/domains/domains/verify-domain.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { takeSnapshot } from "#server/core/operations/export/take-snapshot.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aDnsZone, type DnsZone } from "#server/testing/dns-zone.ts";
import { aCompany, aContext, aDomain, anAdmin } from "#server/testing/factories.ts";

import { domainsConsole } from "./console.ts";
import { dnsConsole } from "./dns.ts";

let zone: DnsZone;
beforeAll(async () => void (zone = await aDnsZone()));
afterAll(() => zone.close());

async function anOwner(name: string) {
  const ctx = aContext((await aCompany()).id);
  const { id } =
    name === SANDBOX_DOMAIN
      ? await aDomain(ctx.companyId, { name })
      : (await addDomain(ctx, { name }, { via: "console" })).domain;
  await checkRecords(ctx, id, { mode: "verify", dns: zone.dns });
  const admin = await anAdmin(ctx.companyId, { isOwner: true });
  return { ctx, id, cookie: (await startSession(db(), admin.id)).split(";")[0]! };
}

const aName = () => `${randomBytes(6).toString("hex")}.test`;

test("pages show no records of a real domain", async () => {
  const { cookie, id } = await anOwner(aName());
  const page = await call(domainsConsole.get, { cookie, params: { id } });
  const doctor = await call(dnsConsole.getDoctor, { cookie, params: { id } });
  expect(page.body).toMatchObject({ isPublishable: false, records: [], mailAppRecords: [] });
  expect(doctor.body).toMatchObject({ problems: [] });
  // Until a domain has its own, the return path of its emails is the server's.
  const { returnPath, ...shown } = page.body as { returnPath: string };
  expect(returnPath).toBe(SANDBOX_DOMAIN);
  expect(JSON.stringify([shown, doctor.body])).not.toContain(SANDBOX_DOMAIN);
});

test("records of a real domain can't be emailed, published automatically, or read from a failed check", async () => {
  const { ctx, cookie, id } = await anOwner(aName());
  const no = { reason: "invalid", message: expect.stringContaining("Go live") as string };
  const to = { to: "it@contractor.example", sentBy: "ann@northwind.example" };
  await expect(emailRecords(ctx, id, to)).rejects.toMatchObject(no);
  const access = { host: "cloudflare" as const, token: "t", connect: () => expect.unreachable() };
  await expect(previewChanges(ctx, id, access)).rejects.toMatchObject(no);
  const check = verifyDomain(ctx, id, { via: "console", dns: zone.dns });
  await expect(check).rejects.toMatchObject(no);
  const body = { provider: "cloudflare", token: "t" };
  for (const endpoint of [dnsConsole.previewDnsSetup, dnsConsole.publishDnsSetup])
    expect(
      await call(endpoint, {
        cookie,
        params: { id },
        body: { ...body, digest: "d", confirmed: [] },
      }),
    ).toMatchObject({ status: 422 });
});

test("notices and exports contain no records of a real domain", async () => {
  const { ctx, id } = await anOwner(aName());
  const notices = [
    { kind: "records_missing", domainId: id, records: ["spf", "mx"] },
    { kind: "dns_records", domainId: id, to: "it@contractor.example", sentBy: "a@b.example" },
  ] satisfies Parameters<typeof sendNotice>[1]["notice"][];
  for (const notice of notices)
    await sendNotice(db(), { id: v7(), companyId: ctx.companyId, notice });
  const [count] = await db().execute<{ sent: number }>(
    sql`select count(*)::int as sent from emails`,
  );
  expect(count!.sent).toBe(0);
  const zones = await takeSnapshot(ctx, {}, (snapshot) => Array.fromAsync(snapshot.zones()));
  expect(zones).toEqual([]);
});

test("the sandbox's own domain has records", async () => {
  const { cookie, id } = await anOwner(SANDBOX_DOMAIN);
  const page = await call(domainsConsole.get, { cookie, params: { id } });
  expect(page.body).toMatchObject({ isPublishable: true });
  expect(JSON.stringify(page.body)).toContain(SANDBOX_DOMAIN);
});
