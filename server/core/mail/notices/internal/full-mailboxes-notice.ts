import { and, asc, desc, eq, sql } from "drizzle-orm";

import { fullMailboxes, mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import type { NoticeContent } from "./notice-text.ts";

export type FullMailbox = { address: string; orgUnitId: number; isFull: boolean; percent: number };

const SHOWN_MAX = 20;

/** The mailboxes listed in a notice that still have too little space, full ones first. */
export const readFullMailboxes = (ctx: CompanyScope, noticedAt: string): Promise<FullMailbox[]> =>
  ctx.db
    .select({
      address: fullMailboxes.address,
      orgUnitId: mailboxes.orgUnitId,
      isFull: fullMailboxes.isFull,
      percent: sql<number>`floor(100 * ${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * 1048576::float8))::int`,
    })
    .from(fullMailboxes)
    .innerJoin(mailboxes, eq(mailboxes.address, fullMailboxes.address))
    .innerJoin(mailboxUsage, eq(mailboxUsage.address, fullMailboxes.address))
    .where(
      and(
        eq(fullMailboxes.companyId, ctx.companyId),
        eq(fullMailboxes.noticedAt, sql`${noticedAt}::timestamptz`),
        sql`${mailboxes.quotaMb} > 0`,
      ),
    )
    .orderBy(desc(fullMailboxes.isFull), asc(fullMailboxes.address));

export function fullMailboxesNotice(
  found: FullMailbox[],
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const full = found.filter(({ isFull }) => isFull).length;
  const [first] = found as [FullMailbox];
  const whom = found.length === 1 ? first.address : `${found.length} mailboxes`;
  const state = full === found.length ? "full" : full > 0 ? "full or nearly full" : "nearly full";
  const more = found.length - SHOWN_MAX;
  return {
    subject: `${whom} ${found.length === 1 ? "is" : "are"} ${state}`,
    paragraphs: [
      `At ${companyName}, ${found.length === 1 ? "this mailbox is" : "these mailboxes are"} ${state}:`,
      ...found
        .slice(0, SHOWN_MAX)
        .map(({ address, percent }) => `${address}: ${percent}% of its storage used`),
      ...(more > 0 ? [`And ${more} more.`] : []),
      "A full mailbox receives no mail: senders’ servers retry for a few days, then return it. Enlarge the mailbox, or ask its user to delete mail.",
    ],
    link: { label: "Open mailboxes", url: `${baseUrl}/console/mailboxes?state=nearly_full` },
  };
}
