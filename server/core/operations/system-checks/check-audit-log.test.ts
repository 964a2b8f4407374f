import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, auditHeads } from "#drizzle/schema/index.ts";
import { continueVerification } from "#server/core/shared/audit/continue-verification.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { sealAudit } from "#server/core/shared/audit/seal-audit.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { checkAuditLog } from "./check-audit-log.ts";

test("reports entries that aren't sealed, a changed entry, and a missing head", async () => {
  const { id } = await aCompany({ name: "Northwind" });
  const ofCompany = eq(auditEntries.companyId, id);
  await recordAudit(aContext(id), "domain.added", { name: "a.test" });
  expect(await checkAuditLog(db())).toMatchObject({ state: "ok" });
  await db()
    .update(auditEntries)
    .set({ createdAt: sql`clock_timestamp() - interval '2 hours'` })
    .where(ofCompany);
  expect(await checkAuditLog(db())).toMatchObject({
    state: "warning",
    found: "Entries in the audit log of Northwind have been waiting to be sealed for over an hour",
  });
  await sealAudit(db());
  await continueVerification(db());
  expect(await checkAuditLog(db())).toMatchObject({ state: "ok" });
  await db().update(auditEntries).set({ actor: "eve@there.test" }).where(ofCompany);
  await continueVerification(db());
  expect(await checkAuditLog(db())).toMatchObject({
    state: "failed",
    found:
      "The audit log of Northwind failed verification: Entry 1 was changed after it was sealed",
  });
  await db().delete(auditHeads).where(eq(auditHeads.companyId, id));
  expect(await checkAuditLog(db())).toMatchObject({
    state: "failed",
    found: expect.stringContaining("The signed head is missing") as string,
  });
});
