import { and, asc, eq, isNotNull, lt, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";

import { companies, dkimKeys, type Domain, domains } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { createDkimKey } from "#server/core/sending/dkim/dkim-keys.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { SANDBOX_DOMAIN } from "./parse-domain-name.ts";
import { lockDomain } from "./require-domain.ts";

/**
 * Starts rotating a domain's published DKIM keys: creates the next ones, whose records are then listed among those
 * to publish. A check switches to each key once all name servers have its record. Until then, the current keys sign.
 *
 * @returns whether any key was created; false if the next ones are already waiting for their records
 * @throws Refusal `not_found`, `invalid` if no key is published yet
 */
export async function rotateDkimKeys(ctx: Context, id: string): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const domain = await lockDomain(ctx, id);
    const replaceable = await ctx.db
      .select({ algorithm: dkimKeys.algorithm })
      .from(dkimKeys)
      .where(
        and(
          eq(dkimKeys.domainId, domain.id),
          eq(dkimKeys.state, "active"),
          isNotNull(dkimKeys.seenAt),
        ),
      );
    if (replaceable.length === 0) throw notPublished(domain);
    const selectors: string[] = [];
    for (const { algorithm } of replaceable) {
      const key = await createDkimKey(ctx.db, domain.id, { algorithm, state: "next" });
      if (key) selectors.push(key.selector);
    }
    if (selectors.length === 0) return false;
    const { name } = domain;
    await recordAudit(ctx, "domain.dkim_rotated", { domainId: id, name, selectors });
    return true;
  });
}

const notPublished = ({ name }: Domain) =>
  new Refusal(
    "invalid",
    `${name} has no published DKIM key to replace. Publish its DKIM record first`,
  );

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
        eq(dkimKeys.state, "active"),
        isNotNull(dkimKeys.seenAt),
        lt(dkimKeys.createdAt, sql`statement_timestamp() - interval '1 year'`),
        sql`${next.id} is null`,
        isNotNull(domains.ownershipProvenAt),
        ne(domains.name, SANDBOX_DOMAIN),
        ne(companies.purpose, "platform"),
      ),
    )
    .orderBy(asc(domains.id))
    .limit(ROTATIONS_MAX);
}
