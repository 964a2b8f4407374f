import { readHeader } from "#server/core/shared/mime/read-header.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import type { Db } from "#server/db/client.ts";

import { findDistribution, lockDistribution } from "./distribute.ts";
import type { TakingGroup } from "#server/core/mailboxes/groups/find-group.ts";
import { writeHeld } from "./held-post.ts";
import { planModeratorNotice } from "./plan-moderator-notice.ts";
import type { Post, Posted } from "./post.ts";

/**
 * Keeps a message until a moderator decides, who is told. When it has been approved meanwhile, as a
 * repetition may find, it stays distributed.
 *
 * @param id of the distribution that an approval makes
 */
export async function holdPost(
  db: Db,
  { group, post, id }: { group: TakingGroup; post: Post; id: string },
): Promise<Posted> {
  const { headerFrom, subject } = readHeader(post.content);
  return db.transaction(async (tx) => {
    await lockDistribution(tx, id);
    const done = await findDistribution(tx, id);
    if (done !== null) return { as: "distributed", recipients: done };
    const { isNew } = await quarantineMessage(tx, {
      id,
      companyId: group.companyId,
      reason: "moderation",
      sender: post.sender,
      recipients: [group.address],
      ...{ headerFrom, subject },
      clientAddress: post.clientAddress,
      score: null,
      findings: post.isFromVerified || post.author ? [] : ["Who wrote it could not be verified"],
      content: writeHeld(post),
    });
    if (isNew) await planModeratorNotice(tx, group);
    return { as: "held" };
  });
}
