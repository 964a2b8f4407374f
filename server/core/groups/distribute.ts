import { inArray, sql } from "drizzle-orm";

import { messageRecipients, messages } from "#drizzle/schema/index.ts";
import { acceptMessage, type NewMessage } from "#server/core/messages/accept-message.ts";
import type { Db } from "#server/db/client.ts";

import { derivedId } from "./distribution-id.ts";

/** What members get: at most one message for those here and one for those outside. */
export type Distribution = {
  /** Distributing twice under one id is distributing once. */
  id: string;
  here: NewMessage | null;
  outside: NewMessage | null;
};

const idsOf = (id: string) => ({ here: derivedId(id, "here"), outside: derivedId(id, "outside") });

/** How many got a distribution that is committed already; null when it is not. */
export async function findDistribution(db: Db, id: string): Promise<number | null> {
  const { here, outside } = idsOf(id);
  const rows = await db
    .select({ recipients: messages.recipientCount })
    .from(messages)
    .where(inArray(messages.id, [here, outside]));
  return rows.length === 0 ? null : rows.reduce((sum, { recipients }) => sum + recipients, 0);
}

/**
 * Puts a distribution into the queue, all of it when the caller's transaction commits. At the same time
 * one of several runs does it, and the others find it done. Call `wakeMessages` after the commit.
 *
 * @returns how many get it
 */
export async function distribute(db: Db, { id, here, outside }: Distribution): Promise<number> {
  const ids = idsOf(id);
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`);
    const done = await findDistribution(tx, id);
    if (done !== null) return done;
    if (here) await acceptMessage(tx, { ...here, id: ids.here });
    if (outside) await acceptMessage(tx, { ...outside, id: ids.outside });
    return (here?.recipients.length ?? 0) + (outside?.recipients.length ?? 0);
  });
}
