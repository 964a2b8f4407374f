import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { aTlsJson, messageWithFile } from "#server/testing/reports.ts";

import { handleReport } from "./handle-report.ts";
import { summarizeTlsReports } from "./tls-summary.ts";

test("summarizes encrypted connections and failures by day", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { name } = domain;
  for (const failed of [0, 3, 4])
    await handleReport(db(), messageWithFile(aTlsJson({ domain: name, successful: 10, failed })));
  const sibling = await aDomain(domain.companyId);
  await handleReport(db(), messageWithFile(aTlsJson({ domain: sibling.name, failed: 9 })));
  const summary = await summarizeTlsReports(aContext(domain.companyId), domain.id, { days: 7 });
  expect(summary).toMatchObject({
    ...{ sessions: 37, successful: 30, failed: 7, reporters: ["Google Inc."] },
    failures: [
      {
        ...{ type: "certificate-expired", sessions: 7, reporters: ["Google Inc."] },
        ...{ mailHosts: [], reasons: [] },
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
