import { continueVerification } from "#server/core/shared/audit/continue-verification.ts";
import { sealAudit } from "#server/core/shared/audit/seal-audit.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Safe to run concurrently: one of them seals a company's entries. */
export const sealAuditTask = defineTask("seal_audit", async () => {
  await sealAudit(db());
});

/** The system check `audit` reads what it finds. Safe to run concurrently. */
export const verifyAuditTask = defineTask("verify_audit", async () => {
  await continueVerification(db());
});
