import { and, desc, eq, sql } from "drizzle-orm";

import { mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { viewable } from "#server/core/mailboxes/mailboxes/viewable.ts";
import type { Rights } from "#server/core/access/rights/rights.ts";

import { FIRST_MAX, type Troubled, troubledOf } from "./troubled.ts";

/** A mailbox that will soon refuse mail, or does. */
export type FullMailbox = { address: string; usedBytes: number; quotaMb: number };

/** From this part of its size on a mailbox is nearly full. */
const NEARLY_FULL = 0.9;
const MB = 1024 * 1024;

/** The mailboxes that are nearly full, of those that `rights` let one see, the fullest first. */
export async function fullMailboxes(ctx: Context, rights: Rights): Promise<Troubled<FullMailbox>> {
  const share = sql`${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * ${MB}::float8)`;
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      usedBytes: mailboxUsage.usedBytes,
      quotaMb: mailboxes.quotaMb,
      count: sql<number>`count(*) over ()::int`,
    })
    .from(mailboxes)
    .innerJoin(mailboxUsage, eq(mailboxUsage.address, mailboxes.address))
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        viewable(rights),
        sql`${mailboxes.quotaMb} > 0 and ${share} >= ${NEARLY_FULL}`,
      ),
    )
    .orderBy(desc(share), mailboxes.address)
    .limit(FIRST_MAX);
  return troubledOf(rows);
}
