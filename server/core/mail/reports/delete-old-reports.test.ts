import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { dmarcReports, dmarcSources, tlsReports } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDmarcXml, aTlsJson, messageWithFile } from "#server/testing/reports.ts";

import { deleteOldReports } from "./delete-old-reports.ts";
import { handleReport } from "./handle-report.ts";

test("deletes reports with their rows after 400 days", async () => {
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
