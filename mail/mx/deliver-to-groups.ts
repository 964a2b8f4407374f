import {
  postToGroup,
  type Post,
  type Posted,
} from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import type { Db } from "#server/db/client.ts";

import type { DeliveryRecipient } from "./mx-context.ts";
import type { DeliveryOutcome } from "./delivery-outcome.ts";
import { SmtpReply } from "./smtp-reply.ts";

export type GroupRecipient = Extract<DeliveryRecipient, { kind: "group" | "owners" }>;

/** Posts a message to groups and owners. `accepted` means committed. Idempotent. */
export async function deliverToGroups(
  db: Db,
  recipients: GroupRecipient[],
  post: Post,
): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  for (const recipient of recipients) {
    const posted =
      recipient.kind === "group"
        ? await postToGroup(db, recipient.group, post)
        : await postToOwners(db, recipient.companyId, recipient.address, post);
    outcomes.push(toOutcome(recipient, posted));
  }
  return outcomes;
}

function toOutcome(recipient: GroupRecipient, posted: Posted): DeliveryOutcome {
  if (posted.kind === "discarded")
    return { recipient, status: "accepted", discarded: posted.reason };
  if (posted.kind !== "refused") return { recipient, status: "accepted" };
  const { enhancedCode, text } = posted;
  if (enhancedCode === "5.4.6") return { recipient, status: "loop" };
  return enhancedCode.startsWith("4.")
    ? { recipient, status: "deferred", reply: new SmtpReply(451, enhancedCode, text) }
    : { recipient, status: "rejected", reply: new SmtpReply(550, enhancedCode, text) };
}
