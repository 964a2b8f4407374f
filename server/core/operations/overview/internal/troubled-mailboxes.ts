import { and, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";

import { mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { NEARLY_FULL } from "#server/core/mailboxes/mailboxes/shown-mailbox.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/viewable-mailboxes.ts";
import type { Context } from "#server/core/shared/context.ts";

const MB = 1024 * 1024;
const MAILBOXES_MAX = 1_000;

/** Mailboxes in the same state, as filtering the list of mailboxes finds them. */
export type FullMailboxes = { isFull: boolean; count: number; mailboxes: FullMailbox[] };

export type FullMailbox = { address: string; usedBytes: number; quotaMb: number };

/** Full and nearly full mailboxes that the admin can see, fullest first: all of them counted, up to 1,000 listed. */
export async function fullMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<FullMailboxes[]> {
  const share = sql`${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * ${MB}::float8)`;
  const isFull = sql<boolean>`${share} >= 1`;
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      usedBytes: mailboxUsage.usedBytes,
      quotaMb: mailboxes.quotaMb,
      isFull: isFull,
      count: sql<number>`count(*) over (partition by ${isFull})::int`,
    })
    .from(mailboxes)
    .innerJoin(mailboxUsage, eq(mailboxUsage.address, mailboxes.address))
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        viewableMailboxes(callerPrivileges),
        sql`${mailboxes.quotaMb} > 0 and ${share} >= ${NEARLY_FULL}`,
      ),
    )
    .orderBy(desc(share), mailboxes.address)
    .limit(MAILBOXES_MAX);
  return [true, false].map((wanted) => {
    const found = rows.filter(({ isFull }) => isFull === wanted);
    return { isFull: wanted, count: found[0]?.count ?? 0, mailboxes: found };
  });
}

/** Addresses whose sending is on hold and that the admin can release, up to 1,000. */
export async function mailboxesOnHold(
  ctx: Context,
  { privileges, units }: HeldPrivileges,
): Promise<string[]> {
  const rows = await ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        isNotNull(mailboxes.sendingHeldAt),
        privileges.has("reset_user_passwords")
          ? undefined
          : inArray(mailboxes.orgUnitId, [...(units.get("reset_user_passwords") ?? [])]),
      ),
    )
    .limit(MAILBOXES_MAX);
  return rows.map(({ address }) => address);
}
