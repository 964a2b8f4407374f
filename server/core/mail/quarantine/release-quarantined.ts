import { eq } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { approvePost } from "#server/core/mail/group-posts/approve-post.ts";
import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { withoutJunkMark } from "#server/core/mail/group-posts/junk-mark.ts";
import { type Posted, postApproved } from "#server/core/mail/group-posts/post-to-group.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  matchesQuarantined,
  quarantinedNotFound,
  requireQuarantined,
} from "./internal/require-quarantined.ts";
import type { QuarantineReason } from "./visible-reasons.ts";

export type Released = {
  /** Mailboxes and groups that the message goes to. */
  to: string[];
  /** Recipients that no longer exist, and groups without members. */
  gone: string[];
};

/**
 * Releases a quarantined message, once even if several admins do so concurrently: to its mailboxes, and to a group's
 * members as if a moderator had approved it. The row stays, hidden, until every mailbox has the message: see
 * complete-releases.ts.
 *
 * @throws Refusal `not_found` if it is no longer in quarantine; `invalid` if no recipient exists anymore or its group has no
 * members
 */
export async function releaseQuarantined(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<Released> {
  const { reason, recipients } = await requireQuarantined(ctx, id, reasons);
  if (reason === "moderation") {
    await approvePost(ctx, id);
    return { to: recipients, gone: [] };
  }
  const released = await inTransaction(ctx, (ctx) => release(ctx, id, reasons));
  wakeMessages(ctx.db);
  return released;
}

/** Like `releaseQuarantined` for spam and viruses, in the caller's transaction. Call `wakeMessages` after its commit. */
export async function release(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<Released> {
  const [found] = await ctx.db
    .select({ held: quarantine, content: quarantineContents.content })
    .from(quarantine)
    .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
    .where(matchesQuarantined(ctx, id, reasons))
    .for("update", { of: quarantine });
  if (!found) throw quarantinedNotFound();
  const { held } = found;
  const message = withoutJunkMark(new Message(found.content));
  const { mailboxes, groups, gone } = await sortRecipients(ctx, held.recipients);
  const reached = [...mailboxes, ...groups];
  if (reached.length === 0)
    throw new Refusal(
      "invalid",
      `None of the message's recipients exist anymore: ${held.recipients.join(", ")}`,
    );
  if (mailboxes.length > 0) {
    const releasedAs = await deliverToMailboxes(ctx, held, { mailboxes, message });
    await ctx.db.update(quarantine).set({ releasedAs }).where(eq(quarantine.id, id));
  } else await ctx.db.delete(quarantine).where(eq(quarantine.id, id));
  for (const group of groups) {
    const posted = await postToMembers(ctx, held, { group, message });
    if (posted.kind === "refused") gone.push(group);
  }
  const to = reached.filter((address) => !gone.includes(address));
  if (to.length === 0) throw new Refusal("invalid", `The group ${groups[0]} has no members`);
  const { sender, headerFrom: from, subject, reason } = held;
  await recordAudit(ctx, "quarantine.released", { reason, sender, from, subject, to, gone });
  return { to, gone };
}

/** Resolves recipients to the company's mailboxes, inbound addresses and groups, without duplicates. */
async function sortRecipients(ctx: Context, recipients: string[]) {
  const known = await resolveRecipients(ctx.db, recipients);
  const mailboxes = new Set<string>();
  const groups = new Set<string>();
  const gone: string[] = [];
  for (const address of recipients) {
    const recipient = known.get(address);
    if (recipient?.companyId !== ctx.companyId) gone.push(address);
    else if (recipient.kind === "mailbox") mailboxes.add(recipient.mailbox);
    else if (recipient.kind === "inbound") mailboxes.add(address);
    else groups.add(recipient.group);
  }
  return { mailboxes: [...mailboxes], groups: [...groups], gone };
}

/**
 * The sender gets no bounce if delivery fails: the address may be forged, and the message was accepted long ago.
 *
 * @returns the id of the message
 */
async function deliverToMailboxes(
  ctx: Context,
  { companyId, sender, headerFrom, subject, clientAddress }: Quarantined,
  { mailboxes, message }: { mailboxes: string[]; message: Message },
): Promise<string> {
  const { id } = await acceptMessage(ctx.db, {
    ...{ companyId, origin: "incoming", mailbox: null, groupAddress: null },
    ...{ sender, isSenderTold: false, signingDomainId: null, clientAddress },
    ...{ content: message.raw, headerFrom, subject, messageId: message.messageId },
    recipients: mailboxes.map((address) => ({ address })),
  });
  return id;
}

async function postToMembers(
  ctx: Context,
  { id: quarantinedId, recipients, sender, clientAddress }: Quarantined,
  { group: address, message }: { group: string; message: Message },
): Promise<Posted> {
  const group = await findGroup(ctx.db, address);
  if (!group) throw new Error(`There is no group ${address}`);
  // A row of only this group has the id of the distribution, which may already have reached some members.
  const id = recipients.length === 1 ? quarantinedId : uuidv7();
  const { from } = message.header;
  const post = { id, repeatsForMs: null, sender, from, author: null, isFromVerified: false };
  return postApproved(ctx.db, { group, id, post: { ...post, message, clientAddress } });
}
