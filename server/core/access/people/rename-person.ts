import { and, eq, ne } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import { readAdminName } from "#server/core/access/admins/admin-name.ts";
import { ownSessions } from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Changes a person's name in each of their companies, or only in the one whose identity provider signed them in.
 *
 * @throws Refusal `invalid` beginning with `name`
 */
export async function renamePerson(
  db: Db,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId">,
  typed: string,
): Promise<void> {
  const name = readAdminName(typed);
  const { email, companyId: only = null } = ownSessions(signedIn);
  await db.transaction(async (tx) => {
    const changed = await tx
      .select({ id: admins.id, companyId: admins.companyId, from: admins.name })
      .from(admins)
      .where(
        and(
          eq(admins.email, email),
          ne(admins.name, name),
          only === null ? undefined : eq(admins.companyId, only),
        ),
      )
      .orderBy(admins.companyId)
      .for("no key update");
    for (const { id, companyId, from } of changed) {
      await tx.update(admins).set({ name }).where(eq(admins.id, id));
      const actor = { kind: "admin", adminId: id, email } as const;
      const ctx = createContext(tx, companyId, actor);
      const changed = { name: { from, to: name } };
      await recordAudit(ctx, "admin.updated", { adminId: id, email, changed });
    }
  });
}
