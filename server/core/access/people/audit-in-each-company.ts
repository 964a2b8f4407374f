import { eq } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Actor, createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Records an audit entry about a person in each company they are an admin of. Call in the transaction of the
 * change.
 *
 * @param actor who did it; defaults to the person
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
    await recordAudit(createContext(db, companyId, actor ?? own), action, details);
  }
}
