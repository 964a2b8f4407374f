import { eq, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { quarantine, quarantineContents, type Quarantined } from "#drizzle/schema/index.ts";
import { withoutJunkMark } from "#server/core/mail/group-posts/post.ts";
import { approvePost } from "#server/core/mail/group-posts/moderation.ts";
import { postApproved, type Posted } from "#server/core/mail/group-posts/post-to-group.ts";
import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { findOwnQuarantined } from "./own-quarantine.ts";
import type { QuarantineReason } from "./quarantine-message.ts";
import { matchesQuarantined, quarantinedNotFound, requireQuarantined } from "./quarantine.ts";

export type Released = {
  /** Mailboxes and groups that the message goes to. */
  to: string[];
  /** Recipients that no longer exist, and groups without members. */
  gone: string[];
};

/**
 * Releases a quarantined message, once even if several admins do so concurrently: to its mailboxes, and to a group's
 * members as if a moderator had approved it. The row stays, hidden, until every mailbox has the message: see
 * `completeReleases`.
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
async function release(ctx: Context, id: string, reasons: QuarantineReason[]): Promise<Released> {
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
    companyId,
    origin: "incoming",
    mailbox: null,
    groupAddress: null,
    sender,
    isSenderTold: false,
    signingDomainId: null,
    clientAddress,
    content: message.raw,
    headerFrom,
    subject,
    messageId: message.messageId,
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
  const id = recipients.length === 1 ? quarantinedId : v7();
  const { from } = message.header;
  const post = { id, repeatsForMs: null, sender, from, author: null, isFromVerified: false };
  return postApproved(ctx.db, { group, id, post: { ...post, message, clientAddress } });
}

/**
 * Releases a message to one of its mailboxes, at the request of the mailbox user. It stays in quarantine for the others.
 *
 * @throws Refusal `not_found` if it is no longer in quarantine for the mailbox, or not visible to its user; `not_allowed`
 *   if the mailbox's policies don't let the user release it
 */
export async function releaseToMailbox(ctx: Context, mailbox: string, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await ctx.db.execute(sql`
      select from ${quarantine} where id = ${id}::uuid and company_id = ${ctx.companyId} for update`);
    const held = await findOwnQuarantined(ctx, mailbox, id);
    if (!held) throw quarantinedNotFound();
    if (!held.canRelease)
      throw new Refusal("not_allowed", "Only an admin can release this message");
    const own = held.recipients.length > 1 ? await splitOff(ctx, held, mailbox) : id;
    await release(ctx, own, ["spam"]);
  });
  wakeMessages(ctx.db);
}

/** Moves a recipient of a locked message to a copy of it, and returns the copy's id. */
async function splitOff(
  ctx: Context,
  { id, ...held }: Quarantined,
  mailbox: string,
): Promise<string> {
  const copy = v7();
  await ctx.db.insert(quarantine).values({ ...held, id: copy, recipients: [mailbox] });
  await ctx.db.execute(sql`
    insert into ${quarantineContents} (quarantine_id, content)
    select ${copy}::uuid, content from ${quarantineContents} where quarantine_id = ${id}::uuid`);
  await ctx.db
    .update(quarantine)
    .set({ recipients: held.recipients.filter((recipient) => recipient !== mailbox) })
    .where(eq(quarantine.id, id));
  return copy;
}

/**
 * Completes the release of quarantined messages: a message delivered to every mailbox is deleted from
 * quarantine, and one that bounced returns to it for the failed mailboxes. Call it after recording the
 * outcomes, in the same transaction.
 *
 * @param messageIds messages with new outcomes
 */
export async function completeReleases(db: Db, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return;
  const given = sql`array(select value::uuid
    from jsonb_array_elements_text(${JSON.stringify([...new Set(messageIds)])}::jsonb))`;
  // Lock first: if two workers record the last two recipients concurrently, the second must see both outcomes.
  const locked = await db.execute<{ id: string }>(sql`
    select id from quarantine where released_as = any(${given}) order by id for update`);
  if (locked.length === 0) return;
  await db.execute(sql`
    with released as materialized (
      select q.id, array_agg(r.recipient order by r.id) filter (where r.state <> 'delivered') as missing,
        (array_agg(r.reply order by r.id) filter (where r.state <> 'delivered'))[1] as reply
      from quarantine q join message_recipients r on r.message_id = q.released_as
      where q.released_as = any(${given})
      group by q.id having bool_and(r.state not in ('queued', 'held'))
    ), returned as (
      update quarantine q set released_as = null, recipients = released.missing,
        findings = q.findings || ('Not delivered after its release: ' || coalesce(released.reply, 'no reply'))
      from released where q.id = released.id and released.missing is not null
    )
    delete from quarantine q using released where q.id = released.id and released.missing is null`);
}
