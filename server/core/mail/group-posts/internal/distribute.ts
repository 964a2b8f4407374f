import { inArray, sql } from "drizzle-orm";

import { messages } from "#drizzle/schema/index.ts";
import { acceptMessage, type NewMessage } from "#server/core/sending/messages/accept-message.ts";
import type { Db } from "#server/db/client.ts";

import { deriveId } from "#server/core/mail/group-posts/derive-id.ts";

/** What recipients get: at most one message for those here and one for those outside. */
export type Copies = { here: NewMessage | null; outside: NewMessage | null };

const copyIds = (id: string) => ({ here: deriveId(id, "here"), outside: deriveId(id, "outside") });

/** How many got a distribution that is committed already; null when there is none. */
export async function findDistribution(db: Db, id: string): Promise<number | null> {
  const { here, outside } = copyIds(id);
  const rows = await db
    .select({ recipients: messages.recipientCount })
    .from(messages)
    .where(inArray(messages.id, [here, outside]));
  return rows.length === 0 ? null : rows.reduce((sum, { recipients }) => sum + recipients, 0);
}

/**
 * The distribution's turn, until the caller's transaction ends: whoever repeats it at the same time
 * waits and then finds what has been done.
 */
export async function lockDistribution(db: Db, id: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`);
}

/**
 * Puts copies into the queue, all of them when the caller's transaction commits (its own, outside one),
 * unless that was done before under this id. Call `wakeMessages` after the commit.
 *
 * @returns how many get it, or got it then
 */
export async function distribute(db: Db, id: string, { here, outside }: Copies): Promise<number> {
  const ids = copyIds(id);
  return db.transaction(async (tx) => {
    await lockDistribution(tx, id);
    const done = await findDistribution(tx, id);
    if (done !== null) return done;
    if (here) await acceptMessage(tx, { ...here, id: ids.here, distributionId: id });
    if (outside) await acceptMessage(tx, { ...outside, id: ids.outside, distributionId: id });
    return (here?.recipients.length ?? 0) + (outside?.recipients.length ?? 0);
  });
}
