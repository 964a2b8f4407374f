import { isOlderVersionRunning } from "#server/core/platform/processes/is-older-version-running.ts";
import { continueVerification } from "#server/core/shared/audit/continue-verification.ts";
import { sealAudit } from "#server/core/shared/audit/seal-audit.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/**
 * Safe to run concurrently: one of them seals a company's entries. Versions without hash chains delete and erase entries
 * without signing that, so nothing is sealed before all hosts are upgraded.
 */
export const sealAuditTask = defineTask("seal_audit", async () => {
  if (await isOlderVersionRunning(db())) return;
  await sealAudit(db());
});

/** The system check `audit` reads what it finds. Safe to run concurrently. */
export const verifyAuditTask = defineTask("verify_audit", async () => {
  await continueVerification(db());
});
