import {
  postToGroup,
  type Post,
  type Posted,
} from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import type { Db } from "#server/db/client.ts";

import type { Person } from "./door.ts";
import type { Settled } from "./settled.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type ListTaker = Extract<Person, { is: "group" | "owners" }>;

/** Hands a message to groups and owners. `taken` means committed; a repetition makes no second copy. */
export async function postToLists(db: Db, takers: ListTaker[], post: Post): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const recipient of takers) {
    const posted =
      recipient.is === "group"
        ? await postToGroup(db, recipient.group, post)
        : await postToOwners(db, recipient.companyId, recipient.address, post);
    settled.push(settle(recipient, posted));
  }
  return settled;
}

function settle(recipient: ListTaker, posted: Posted): Settled {
  if (posted.as !== "refused") return { recipient, as: "taken" };
  const { enhancedCode, text } = posted;
  if (enhancedCode === "5.4.6") return { recipient, as: "loop" };
  return enhancedCode.startsWith("4.")
    ? { recipient, as: "later", reply: new SmtpReply(451, enhancedCode, text) }
    : { recipient, as: "refused", reply: new SmtpReply(550, enhancedCode, text) };
}
