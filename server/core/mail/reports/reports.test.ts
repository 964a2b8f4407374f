import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";

import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { dmarcReports, dmarcSources, tlsReports } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDmarcXml, aTlsJson, messageWithFile } from "#server/testing/reports.ts";

import { deleteOldReports, handleReport } from "./reports.ts";

const dmarcOf = (domainId: string) =>
  db().select().from(dmarcReports).where(eq(dmarcReports.domainId, domainId));

const aDmarcMessage = (report: Parameters<typeof aDmarcXml>[0]) =>
  messageWithFile(gzipSync(aDmarcXml(report)));

test("stores a report about a company's domain with its rows", async () => {
  const domain = await aDomain((await aCompany()).id);
  const rows = [{ count: 5 }, { ip: "2001:DB8::1", count: 2, dkim: "fail", spf: "fail" }];
  expect(await handleReport(db(), aDmarcMessage({ domain: domain.name, rows }))).toBe("dmarc");
  const [report] = await dmarcOf(domain.id);
  expect(report).toMatchObject({
    companyId: domain.companyId,
    orgName: "google.com",
    policy: { p: "none" },
  });
  const sources = await db()
    .select()
    .from(dmarcSources)
    .where(eq(dmarcSources.reportId, report!.id))
    .orderBy(dmarcSources.id);
  expect(sources).toMatchObject([
    {
      sourceIp: "192.0.2.1",
      messages: 5,
      dkim: "pass",
      headerFrom: domain.name,
      auth: [{ kind: "spf", domain: domain.name, result: "pass" }],
    },
    { sourceIp: "2001:db8::1", messages: 2, dkim: "fail", spf: "fail", reasons: [] },
  ]);
});

test("stores a report once, also concurrently", async () => {
  const domain = await aDomain((await aCompany()).id);
  const message = aDmarcMessage({ domain: domain.name, rows: [{}, {}] });
  const taken = await Promise.all(Array.from({ length: 10 }, () => handleReport(db(), message)));
  expect(taken).toEqual(Array.from({ length: 10 }, () => "dmarc"));
  const reports = await dmarcOf(domain.id);
  expect(reports).toHaveLength(1);
  expect(await db().$count(dmarcSources, eq(dmarcSources.reportId, reports[0]!.id))).toBe(2);
});

test("assigns a subdomain's report to the nearest verified domain", async () => {
  const company = await aCompany();
  const top = await aDomain(company.id);
  const mail = await aDomain(company.id, { name: `mail.${top.name}` });
  await aDomain(company.id, { name: `shop.${top.name}`, ownershipProvenAt: null });
  for (const name of [`a.${mail.name}`, `x.shop.${top.name}`, top.name])
    expect(await handleReport(db(), aDmarcMessage({ domain: name }))).toBe("dmarc");
  expect(await dmarcOf(mail.id)).toHaveLength(1);
  expect(await dmarcOf(top.id)).toHaveLength(2);
});

test("drops reports about unknown or unverified domains", async () => {
  const unproven = await aDomain((await aCompany()).id, { ownershipProvenAt: null });
  for (const domain of [unproven.name, "example", "elsewhere.test", `x${unproven.name}`])
    expect(await handleReport(db(), aDmarcMessage({ domain }))).toBe("nothing");
  expect(await dmarcOf(unproven.id)).toEqual([]);
});

test("stores a TLS report once", async () => {
  const domain = await aDomain((await aCompany()).id);
  const json = aTlsJson({ domain: domain.name, successful: 10, failed: 2 });
  const message = messageWithFile(gzipSync(json), "application/tlsrpt+gzip");
  expect(await handleReport(db(), message)).toBe("tls");
  expect(await handleReport(db(), message)).toBe("tls");
  expect(
    await db().select().from(tlsReports).where(eq(tlsReports.domainId, domain.id)),
  ).toMatchObject([
    {
      companyId: domain.companyId,
      successful: 10,
      failed: 2,
      failures: [{ type: "certificate-expired", sessions: 2, policy: "sts" }],
    },
  ]);
});

test("limits a domain's reports and rows per day", async () => {
  const full = await aDomain((await aCompany()).id);
  const long = await aDomain((await aCompany()).id);
  const rows = Array.from({ length: 1_000 }, () => ({
    companyId: full.companyId,
    domainId: full.id,
    orgName: "x",
    reportId: randomUUID(),
    periodStart: "2026-01-01",
    periodEnd: "2026-01-02",
    successful: 0,
    failed: 0,
  }));
  await db().insert(dmarcReports).values(rows);
  await db().insert(tlsReports).values(rows);
  expect(await handleReport(db(), aDmarcMessage({ domain: long.name }))).toBe("dmarc");
  await db().execute(sql`
    insert into dmarc_sources (report_id, source_ip, messages, disposition, dkim, spf, header_from)
    select ${(await dmarcOf(long.id))[0]!.id}, '192.0.2.1', 1, 'none', 'pass', 'pass', 'x'
    from generate_series(1, 200000)`);

  const tls = () => handleReport(db(), messageWithFile(aTlsJson({ domain: full.name })));
  const dmarc = ({ name }: typeof full) => handleReport(db(), aDmarcMessage({ domain: name }));
  expect([await dmarc(full), await tls(), await dmarc(long)]).toEqual(Array(3).fill("nothing"));
  for (const table of [sql`dmarc_reports`, sql`tls_reports`])
    await db().execute(sql`update ${table} set created_at = created_at - interval '1 day'`);
  expect([await dmarc(full), await tls(), await dmarc(long)]).toEqual(["dmarc", "tls", "dmarc"]);
});

test("stores counts up to the largest allowed", async () => {
  const domain = await aDomain((await aCompany()).id);
  const rows = [{ count: 1_000_000_000 }, { count: 1_000_000_000 }];
  expect(await handleReport(db(), aDmarcMessage({ domain: domain.name, rows }))).toBe("dmarc");
  const json = aTlsJson({ domain: domain.name, successful: 2_000_000_000 });
  expect(await handleReport(db(), messageWithFile(json))).toBe("tls");
});

test("ignores a message without a report", async () => {
  expect(await handleReport(db(), Buffer.from("Subject: Hello\r\n\r\nHello"))).toBe("nothing");
  expect(await handleReport(db(), Buffer.alloc(0))).toBe("nothing");
});

test("deletes reports with their rows after 400 days", async () => {
  // Delete the reports of the other tests.
  await db().delete(dmarcReports);
  await db().delete(tlsReports);
  const domain = await aDomain((await aCompany()).id);
  const take = async (count: number) => {
    for (let each = 0; each < count; each++) {
      await handleReport(db(), messageWithFile(aDmarcXml({ domain: domain.name })));
      await handleReport(db(), messageWithFile(aTlsJson({ domain: domain.name })));
    }
  };
  await take(21);
  const old = sql`clock_timestamp() - interval '401 days'`;
  await db().update(dmarcReports).set({ createdAt: old });
  await db().update(tlsReports).set({ createdAt: old });
  await take(1);
  const almost = sql`clock_timestamp() - interval '399 days'`;
  await db()
    .update(tlsReports)
    .set({ createdAt: almost })
    .where(sql`created_at > ${almost}`);

  expect(await deleteOldReports(db(), 400)).toBe(42);
  expect(await db().$count(dmarcReports, eq(dmarcReports.domainId, domain.id))).toBe(1);
  expect(await db().$count(dmarcSources)).toBe(1);
  expect(await db().$count(tlsReports)).toBe(1);
});
