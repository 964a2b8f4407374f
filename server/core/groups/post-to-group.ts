import { and, eq } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import type { NewMessage } from "#server/core/messages/accept-message.ts";
import { wakeMessages } from "#server/core/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";

import { distribute } from "./distribute.ts";
import { derivedId } from "./distribution-id.ts";
import { expandMembers } from "./expand-members.ts";
import type { Post, Posted } from "./post.ts";

/**
 * Hands a message to a group: to its members, to its moderators, to nobody, or back with a reason.
 * What it returns is committed; the same post again, also at the same time, changes nothing.
 *
 * @param group its address
 */
export async function postToGroup(db: Db, group: string, post: Post): Promise<Posted> {
  const [row] = await db
    .select()
    .from(groups)
    .where(and(eq(groups.address, group), eq(groups.active, true)));
  if (!row) return { as: "refused", enhancedCode: "5.1.1", text: "There is no such address" };
  const { here, outside } = await expandMembers(db, row.companyId, [group]);
  if (here.size + outside.size === 0) return { as: "discarded" };
  const copy = (recipients: Iterable<string>): NewMessage => ({
    companyId: row.companyId,
    origin: "group",
    mailbox: null,
    groupAddress: group,
    sender: post.sender,
    isSenderTold: false,
    signingDomainId: null,
    content: post.content,
    recipients: [...recipients].map((address) => ({ address })),
    headerFrom: post.from ?? "",
    subject: "",
    messageId: null,
    clientAddress: post.clientAddress,
  });
  const recipients = await distribute(db, {
    id: derivedId(post.id, group),
    here: here.size > 0 ? copy(here.values()) : null,
    outside: outside.size > 0 ? copy(outside) : null,
  });
  wakeMessages(db);
  return { as: "distributed", recipients };
}
