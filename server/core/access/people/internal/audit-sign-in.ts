import { sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { SessionOrigin } from "#server/core/access/sessions/sessions.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { SignInCandidate } from "#server/core/access/people/find-person.ts";

const logger = createLogger("web");

/** Audits a started session in the company that was opened. */
export function auditSessionStart(
  db: Db,
  { email, adminId, companyId }: Omit<SignInCandidate, "passwordHash">,
  { by, origin }: { by: string; origin: SessionOrigin },
): Promise<void> {
  const actor = { kind: "admin", adminId, email } as const;
  const ctx = createContext(db, companyId, actor);
  return recordAudit(ctx, "session.started", { by, client_address: origin.clientAddress ?? null });
}

/** At most one entry per person and company in this time, so that a guesser can't flood the audit log. */
const QUIET_MINUTES = 15;

/**
 * Audits a failed sign-in in each of the person's companies. Doesn't block the response, whose timing would
 * reveal that the address exists.
 */
export function auditFailedSignIn(
  db: Db,
  email: string,
  { by, clientAddress }: { by: string; clientAddress: string },
): void {
  write(db, email, { email, by, client_address: clientAddress }).catch((err: unknown) =>
    logger.error({ err }, "failed to audit a rejected sign-in"),
  );
}

async function write(db: Db, email: string, details: Record<string, unknown>): Promise<void> {
  const companies = await db.execute<{ companyId: string }>(sql`
    select a.company_id as "companyId" from admins a
    where a.email = ${email} and not exists (
      select from audit_entries e
      where e.company_id = a.company_id
        and e.created_at > clock_timestamp() - make_interval(mins => ${QUIET_MINUTES})
        and e.action = 'sign_in.refused' and e.details ->> 'email' = ${email})`);
  for (const { companyId } of companies) {
    const actor = { kind: "system", task: "sign_in" } as const;
    await recordAudit(createContext(db, companyId, actor), "sign_in.refused", details);
  }
}
