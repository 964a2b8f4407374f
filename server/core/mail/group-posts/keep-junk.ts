import { readHeader } from "#server/core/shared/mime/read-header.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import type { Db } from "#server/db/client.ts";

import type { TakingGroup } from "#server/core/mailboxes/groups/find-group.ts";
import type { Post, Posted } from "./post.ts";

/**
 * Keeps spam for an admin that all members of a group would get outside the appliance: none is sent on
 * from here, and nobody has a Junk folder that it could go to.
 *
 * @param id of the distribution: a repetition keeps no second one
 */
export async function keepJunk(
  db: Db,
  { group, post, id }: { group: TakingGroup; post: Post; id: string },
): Promise<Posted> {
  const { headerFrom, subject } = readHeader(post.content);
  await quarantineMessage(db, {
    ...{ id, companyId: group.companyId, reason: "spam", sender: post.sender },
    ...{ recipients: [group.address], headerFrom, subject, clientAddress: post.clientAddress },
    ...{ score: null, findings: [], content: post.content },
  });
  return { as: "held" };
}
