import { and, eq, isNull } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import { wakeMessages } from "#server/core/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";

import { distribute } from "./distribute.ts";
import { derivedId } from "./distribution-id.ts";
import { expandMembers } from "./expand-members.ts";
import type { Post, Posted } from "./post.ts";

/**
 * Hands a message for `postmaster@` or `abuse@` of a company's domain (RFC 5321, 4.5.1; RFC 2142) to
 * the company's owners. What it returns is committed; the same post again changes nothing.
 *
 * @param companyId null for the host's own name: the owners of the oldest company are asked then
 * @param recipient the address that was written to
 */
export async function postToOwners(
  db: Db,
  companyId: string | null,
  recipient: string,
  post: Post,
): Promise<Posted> {
  if (companyId === null) return { as: "discarded" };
  const owners = await db
    .select({ email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), admins.isOwner, isNull(admins.disabledAt)));
  const { here, outside } = await expandMembers(
    db,
    companyId,
    owners.map(({ email }) => email),
  );
  if (here.size + outside.size === 0) return { as: "discarded" };
  const copy = (recipients: Iterable<string>) => ({
    companyId,
    origin: "group" as const,
    mailbox: null,
    groupAddress: recipient,
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
    id: derivedId(post.id, recipient),
    here: here.size > 0 ? copy(here.values()) : null,
    outside: outside.size > 0 ? copy(outside) : null,
  });
  wakeMessages(db);
  return { as: "distributed", recipients };
}
