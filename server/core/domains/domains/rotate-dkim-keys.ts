import { and, eq, isNotNull } from "drizzle-orm";

import { dkimKeys, type Domain } from "#drizzle/schema/index.ts";
import { createDkimKey } from "#server/core/sending/dkim/create-dkim-key.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

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
          ...[eq(dkimKeys.domainId, domain.id), eq(dkimKeys.state, "active")],
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
