import { and, eq, gt, max, sql } from "drizzle-orm";

import { type Group, messages } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

const PAUSE_MINUTES = 15;

/**
 * Schedules a notice to the moderators of a group: now, or 15 minutes after the last one. Call it in the transaction
 * that queues the message for moderation. Several calls before a notice result in one.
 */
export async function scheduleModeratorNotice(db: Db, group: Group): Promise<void> {
  const runAt = await nextNoticeAt(db, group);
  await enqueue(db, "tell_moderators", { group: group.address }, runAt ? { runAt } : {});
}

/** When the next notice about a group can be sent; null for now. */
export async function nextNoticeAt(
  db: Db,
  { companyId, address }: Pick<Group, "companyId" | "address">,
): Promise<Date | null> {
  const pause = sql`make_interval(mins => ${PAUSE_MINUTES})`;
  const [last] = await db
    .select({ until: sql<string | null>`${max(messages.createdAt)} + ${pause}` })
    .from(messages)
    .where(
      and(
        eq(messages.companyId, companyId),
        eq(messages.origin, "report"),
        eq(messages.groupAddress, address),
        gt(messages.createdAt, sql`statement_timestamp() - ${pause}`),
      ),
    );
  return last?.until ? new Date(last.until) : null;
}
