import { and, asc, eq, isNotNull, lt, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";

import { companies, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { createContext, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { rotateDkimKeys } from "./rotate-dkim-keys.ts";
import { SANDBOX_DOMAIN } from "./sandbox-domain.ts";

/** Per run, since each RSA key takes a fraction of a second of CPU. */
const ROTATIONS_MAX = 100;

/**
 * Starts to replace the DKIM keys of domains that have signed with them for a year, and notifies admins, who publish
 * the new records. The appliance's own domain isn't checked, so it would never switch.
 */
export async function rotateOldKeys(db: Db): Promise<void> {
  for (const { id, companyId } of await findOld(db)) {
    const ctx = createContext(db, companyId, { kind: "system", task: "rotate_dkim_keys" });
    try {
      await inTransaction(ctx, async (ctx) => {
        if (await rotateDkimKeys(ctx, id))
          await notifyAdmins(ctx, { kind: "dkim_rotated", domainId: id });
      });
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

async function findOld(db: Db) {
  const next = alias(dkimKeys, "next");
  return db
    .selectDistinct({ id: domains.id, companyId: domains.companyId })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .innerJoin(companies, eq(companies.id, domains.companyId))
    .leftJoin(next, and(eq(next.domainId, dkimKeys.domainId), eq(next.state, "next")))
    .where(
      and(
        ...[eq(dkimKeys.state, "active"), isNotNull(dkimKeys.seenAt)],
        lt(dkimKeys.createdAt, sql`statement_timestamp() - interval '1 year'`),
        ...[sql`${next.id} is null`, isNotNull(domains.ownershipProvenAt)],
        ...[ne(domains.name, SANDBOX_DOMAIN), ne(companies.purpose, "platform")],
      ),
    )
    .orderBy(asc(domains.id))
    .limit(ROTATIONS_MAX);
}
