import { and, eq, gt, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";

import { mailImports } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

const isOld = (
  moment: typeof mailImports.finishedAt | typeof mailImports.progressedAt,
  days: number,
): SQL => lt(moment, sql`statement_timestamp() - make_interval(days => ${days})`);

/**
 * Erases the passwords of imports that ended `days` ago, and ends imports whose attempts have imported nothing for as long,
 * with their passwords.
 *
 * @returns the number of these imports
 */
export async function eraseOldSecrets(db: Db, days: number): Promise<number> {
  const erased = await db
    .update(mailImports)
    .set({ sealedSecret: null })
    .where(
      and(
        isNotNull(mailImports.sealedSecret),
        inArray(mailImports.state, ["done", "failed", "canceled"]),
        isOld(mailImports.finishedAt, days),
      ),
    )
    .returning({ id: mailImports.id });
  return erased.length + (await endStalled(db, days));
}

/** A server can ask for a pause again and again. An import that waits for its first attempt isn't stalled. */
function endStalled(db: Db, days: number): Promise<number> {
  const isStalled = and(
    eq(mailImports.state, "queued"),
    gt(mailImports.failures, 0),
    isOld(mailImports.progressedAt, days),
  );
  const problem = sql`concat_ws(' ', ${`No message could be imported for ${days} days.`}::text, ${mailImports.problem})`;
  return db.transaction(async (tx) => {
    const ended = await tx
      .update(mailImports)
      .set({
        ...{ state: "failed", problem, failures: 0, sealedSecret: null },
        finishedAt: sql`clock_timestamp()`,
      })
      .where(isStalled)
      .returning();
    for (const { companyId, mailbox, host, account, messagesImported: messages } of ended) {
      const ctx = createContext(tx, companyId, { kind: "system", task: "import_mail" });
      await recordAudit(ctx, "mail_import.failed", { mailbox, host, account, messages });
    }
    return ended.length;
  });
}
