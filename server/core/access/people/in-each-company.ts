import { eq } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Actor } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Notes what concerns a person in the audit log of each company they are an admin of. Called inside the
 * transaction of the change.
 *
 * @param actor who did it; without one, the person
 */
export async function auditInEachCompany(
  db: Db,
  { email, actor }: { email: string; actor?: Actor },
  action: `${string}.${string}`,
  details: Record<string, unknown>,
): Promise<void> {
  const rows = await db
    .select({ id: admins.id, companyId: admins.companyId })
    .from(admins)
    .where(eq(admins.email, email))
    .orderBy(admins.companyId);
  for (const { id, companyId } of rows) {
    const own = { kind: "admin", adminId: id, email } as const;
    const ctx = { db, companyId, actor: actor ?? own, now: () => new Date() };
    await recordAudit(ctx, action, details);
  }
}
