import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { aDmarcXml, aTlsJson, messageWithFile } from "#server/testing/reports.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import {
  lookUpSourceNames,
  summarizeDmarcReports,
  summarizeTlsReports,
} from "./report-summaries.ts";
import { handleReport } from "./reports.ts";

beforeEach(() => waitOutMidnight());

const take = (report: Parameters<typeof aDmarcXml>[0]) =>
  handleReport(db(), messageWithFile(aDmarcXml(report)));

test("summarizes sources, results, dispositions and reporters by day", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { name } = domain;
  await take({
    domain: name,
    orgName: "Yahoo",
    daysAgo: 3,
    rows: [{ ip: "192.0.2.1", count: 10 }],
  });
  await take({
    domain: name,
    daysAgo: 1,
    rows: [
      { ip: "192.0.2.1", count: 5, spf: "fail" },
      { ip: "198.51.100.9", count: 3, dkim: "fail", spf: "fail", disposition: "reject" },
      { ip: "198.51.100.9", count: 1, dkim: "fail", spf: "fail", disposition: "quarantine" },
    ],
  });
  await take({ domain: name, daysAgo: 20, rows: [{ count: 1000 }] });
  const sibling = await aDomain(domain.companyId);
  await take({ domain: sibling.name, rows: [{ count: 1000 }] });

  const summary = await summarizeDmarcReports(aContext(domain.companyId), domain.id, { days: 7 });
  expect(summary).toEqual({
    messages: 19,
    passed: 15,
    policy: "none",
    sourceCount: 2,
    reporters: ["Yahoo", "google.com"],
    days: expect.any(Array) as unknown,
    sources: [
      {
        sourceIp: "192.0.2.1",
        hostname: null,
        messages: 15,
        passed: 15,
        dkimPassed: 15,
        spfPassed: 10,
        quarantined: 0,
        rejected: 0,
        headerFrom: [name],
        reporters: ["Yahoo", "google.com"],
      },
      {
        sourceIp: "198.51.100.9",
        hostname: null,
        messages: 4,
        passed: 0,
        dkimPassed: 0,
        spfPassed: 0,
        quarantined: 1,
        rejected: 3,
        headerFrom: [name],
        reporters: ["google.com"],
      },
    ],
  });
  const { days } = summary;
  expect(days).toHaveLength(7);
  expect(days.at(-1)!.day).toBe(new Date().toISOString().slice(0, 10));
  expect(days.filter(({ passed, failed }) => passed + failed > 0)).toMatchObject([
    { passed: 10, failed: 0 },
    { passed: 5, failed: 4 },
  ]);
});

test("without reports, only lists the days", async () => {
  const domain = await aDomain((await aCompany()).id);
  const summary = await summarizeDmarcReports(aContext(domain.companyId), domain.id, { days: 30 });
  expect(summary).toMatchObject({
    messages: 0,
    passed: 0,
    sources: [],
    sourceCount: 0,
    reporters: [],
    policy: null,
  });
  expect(summary.days).toHaveLength(30);
});

test("another company's domain is not found", async () => {
  const domain = await aDomain((await aCompany()).id);
  const other = aContext((await aCompany()).id);
  await expect(summarizeDmarcReports(other, domain.id, { days: 7 })).rejects.toThrow(
    "Domain not found",
  );
  await expect(summarizeDmarcReports(other, "no id", { days: 7 })).rejects.toThrow(
    "Domain not found",
  );
});

test("summarizes encrypted connections and failures by day", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { name } = domain;
  for (const failed of [0, 3, 4])
    await handleReport(db(), messageWithFile(aTlsJson({ domain: name, successful: 10, failed })));
  const sibling = await aDomain(domain.companyId);
  await handleReport(db(), messageWithFile(aTlsJson({ domain: sibling.name, failed: 9 })));
  const summary = await summarizeTlsReports(aContext(domain.companyId), domain.id, { days: 7 });
  expect(summary).toMatchObject({
    sessions: 37,
    successful: 30,
    failed: 7,
    reporters: ["Google Inc."],
    failures: [
      {
        type: "certificate-expired",
        sessions: 7,
        reporters: ["Google Inc."],
        mailHosts: [],
        reasons: [],
      },
    ],
  });
  expect(summary.days).toHaveLength(7);
  expect(summary.days.filter(({ successful }) => successful > 0)).toMatchObject([
    { successful: 30, failed: 7 },
  ]);
});

test("another company's domain is not found; one without reports only lists the days", async () => {
  const domain = await aDomain((await aCompany()).id);
  const other = aContext((await aCompany()).id);
  await expect(summarizeTlsReports(other, domain.id, { days: 7 })).rejects.toThrow(
    "Domain not found",
  );
  const summary = await summarizeTlsReports(aContext(domain.companyId), domain.id, { days: 7 });
  expect(summary).toMatchObject({ sessions: 0, failures: [], reporters: [] });
  expect(summary.days).toHaveLength(7);
});

let dns: FakeDns;

beforeAll(async () => {
  dns = await aDnsServer({
    "10.2.0.192.in-addr.arpa": { PTR: ["Mail.sender.test"] },
    "mail.sender.test": { A: ["192.0.2.10"] },
    "11.2.0.192.in-addr.arpa": { PTR: ["mail.google.com"] },
    "mail.google.com": { A: ["198.51.100.1"] },
    [`5.2.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`]: { PTR: ["six.sender.test"] },
    "six.sender.test": { AAAA: ["2001:db8:0:0:0:0:0:25"] },
  });
});

afterAll(() => dns.close());

const resolver = () => createResolver({ dnsServers: [dns] }, { timeoutMs: 5_000, tries: 1 });

test("returns only names that resolve back to the address", async () => {
  const addresses = ["192.0.2.10", "192.0.2.11", "192.0.2.13", "2001:db8::25", "no address"];
  expect([...(await lookUpSourceNames(addresses, resolver()))]).toEqual([
    ["192.0.2.10", "mail.sender.test"],
    ["2001:db8::25", "six.sender.test"],
  ]);
});

test("omits names whose lookup takes too long", async () => {
  const known = resolver();
  const slow: typeof known = {
    ...known,
    resolve: (name, type) =>
      name.startsWith("12.") ? new Promise(() => {}) : known.resolve(name, type),
  };
  const names = await lookUpSourceNames(["192.0.2.12", "192.0.2.10"], slow);
  expect([...names.keys()]).toEqual(["192.0.2.10"]);
});
