import { acceptMessage, type NewMessage } from "#server/core/sending/messages/accept-message.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import { copyIds, findDistribution } from "./find-repeat.ts";

/** At most one message each for mailboxes here, for outside addresses, and for other companies' groups here. */
export type Copies = {
  here: NewMessage | null;
  outside: NewMessage | null;
  groups: NewMessage | null;
};

/**
 * Queues the copies, unless that was already done under this id. Call `wakeMessages` after the commit.
 *
 * @param isCompletion adds the copies that are missing under this id
 * @returns the number of recipients
 */
export async function distribute(
  db: Db,
  id: string,
  { copies, isCompletion = false }: { copies: Copies; isCompletion?: boolean },
): Promise<number> {
  const ids = copyIds(id);
  const { here, outside, groups } = copies;
  return db.transaction(async (tx) => {
    // A concurrent retry waits, and then finds the distribution.
    await lock(tx, "groupPost", id);
    const done = isCompletion ? null : await findDistribution(tx, id);
    if (done !== null) return done;
    if (here) await acceptMessage(tx, { ...here, id: ids.here, distributionId: id });
    if (outside) await acceptMessage(tx, { ...outside, id: ids.outside, distributionId: id });
    if (groups) await acceptMessage(tx, { ...groups, id: ids.groups, distributionId: id });
    return [here, outside, groups].reduce((sum, copy) => sum + (copy?.recipients.length ?? 0), 0);
  });
}
