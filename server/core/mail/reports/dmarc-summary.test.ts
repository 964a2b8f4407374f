import { beforeEach, expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { aDmarcXml, messageWithFile } from "#server/testing/reports.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { summarizeDmarcReports } from "./dmarc-summary.ts";
import { handleReport } from "./handle-report.ts";

beforeEach(() => waitOutMidnight());

const take = (report: Parameters<typeof aDmarcXml>[0]) =>
  handleReport(db(), messageWithFile(aDmarcXml(report)));

test("summarizes sources, results, dispositions and reporters by day", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { name } = domain;
  await take({
    ...{ domain: name, orgName: "Yahoo", daysAgo: 3 },
    rows: [{ ip: "192.0.2.1", count: 10 }],
  });
  await take({
    ...{ domain: name, daysAgo: 1 },
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
    ...{ messages: 19, passed: 15, policy: "none", sourceCount: 2 },
    reporters: ["Yahoo", "google.com"],
    days: expect.any(Array) as unknown,
    sources: [
      {
        ...{ sourceIp: "192.0.2.1", hostname: null, messages: 15, passed: 15 },
        ...{ dkimPassed: 15, spfPassed: 10, quarantined: 0, rejected: 0 },
        ...{ headerFrom: [name], reporters: ["Yahoo", "google.com"] },
      },
      {
        ...{ sourceIp: "198.51.100.9", hostname: null, messages: 4, passed: 0 },
        ...{ dkimPassed: 0, spfPassed: 0, quarantined: 1, rejected: 3 },
        ...{ headerFrom: [name], reporters: ["google.com"] },
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
    ...{ messages: 0, passed: 0, sources: [], sourceCount: 0, reporters: [], policy: null },
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
