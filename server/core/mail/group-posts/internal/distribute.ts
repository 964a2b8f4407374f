import { inArray } from "drizzle-orm";

import { messages } from "#drizzle/schema/index.ts";
import { acceptMessage, type NewMessage } from "#server/core/sending/messages/accept-message.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import { deriveId } from "#server/core/mail/group-posts/derive-id.ts";

/** At most one message for recipients on this appliance and one for those outside. */
export type Copies = { here: NewMessage | null; outside: NewMessage | null };

const copyIds = (id: string) => ({ here: deriveId(id, "here"), outside: deriveId(id, "outside") });

/** The recipient count of a committed distribution; null if there is none. */
export async function findDistribution(db: Db, id: string): Promise<number | null> {
  const { here, outside } = copyIds(id);
  const rows = await db
    .select({ recipients: messages.recipientCount })
    .from(messages)
    .where(inArray(messages.id, [here, outside]));
  return rows.length === 0 ? null : rows.reduce((sum, { recipients }) => sum + recipients, 0);
}

/**
 * Queues the copies, unless that was already done under this id. Call `wakeMessages` after the commit.
 *
 * @returns the number of recipients
 */
export async function distribute(db: Db, id: string, { here, outside }: Copies): Promise<number> {
  const ids = copyIds(id);
  return db.transaction(async (tx) => {
    // A concurrent retry waits, and then finds the distribution.
    await lock(tx, "groupPost", id);
    const done = await findDistribution(tx, id);
    if (done !== null) return done;
    if (here) await acceptMessage(tx, { ...here, id: ids.here, distributionId: id });
    if (outside) await acceptMessage(tx, { ...outside, id: ids.outside, distributionId: id });
    return (here?.recipients.length ?? 0) + (outside?.recipients.length ?? 0);
  });
}
