import { and, arrayContains, asc, eq } from "drizzle-orm";

import {
  addresses,
  type Group,
  groups,
  quarantine,
  quarantineContents,
  type Quarantined,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import type { OriginalMessage } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { queueDsn, returnedHeader } from "#server/core/sending/bounce-messages/send-dsn.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { expandMembers } from "./internal/expand-members.ts";
import {
  nextNoticeAt,
  type PendingPost,
  writeModeratorNotice,
} from "./internal/moderator-notice.ts";
import { postApproved } from "./post-to-group.ts";
import { findOwners } from "./post-to-owners.ts";
import { decodePendingPost, type Post } from "./post.ts";

/**
 * Approves a message that is waiting for moderation and distributes it to the group's members.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` if it is no longer waiting; `invalid` if the group no longer accepts mail or has no members
 */
export async function approvePost(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { held, content } = await removePendingPost(ctx, id);
    const group = await findGroup(ctx.db, held.recipients[0]!);
    if (group?.companyId !== ctx.companyId)
      throw new Refusal("invalid", `The group ${held.recipients[0]} no longer accepts mail`);
    const post = decodePendingPost({ ...held, message: new Message(content) });
    const posted = await postApproved(ctx.db, { group, post, id: held.id });
    if (posted.kind === "refused")
      throw new Refusal("invalid", `${posted.text}. Add members, or reject the message`);
    await recordAudit(ctx, "group.post_approved", auditDetails(held));
  });
  wakeMessages(ctx.db);
}

/**
 * Removes a message that is waiting for moderation from the quarantine. Call it in the transaction that approves
 * or rejects the message, so that only one of two concurrent decisions wins.
 *
 * @throws Refusal `not_found`
 */
export async function removePendingPost(ctx: Context, id: string) {
  const isHeld = and(
    eq(quarantine.id, id),
    eq(quarantine.companyId, ctx.companyId),
    eq(quarantine.reason, "moderation"),
  );
  const [found] = isUuid(id)
    ? await ctx.db
        .select({ held: quarantine, content: quarantineContents.content })
        .from(quarantine)
        .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
        .where(isHeld)
        .for("update", { of: quarantine })
    : [];
  if (!found) throw new Refusal("not_found", "Message not found in quarantine");
  await ctx.db.delete(quarantine).where(isHeld);
  return found;
}

const auditDetails = ({ recipients: [group], sender, headerFrom, subject }: Quarantined) => ({
  group,
  sender,
  from: headerFrom,
  subject,
});

/**
 * Deletes a message that is waiting for moderation, without notifying its author.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` if it is no longer waiting
 */
export async function rejectPost(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { held } = await removePendingPost(ctx, id);
    await recordAudit(ctx, "group.post_rejected", auditDetails(held));
  });
}

/**
 * Deletes messages that have waited for a moderator for `days`, and sends their authors a bounce, unless the author may be
 * forged.
 *
 * @returns the number of messages deleted
 */
export async function expirePosts(db: Db, days: number): Promise<number> {
  let expired = 0;
  while (await expireOldest(db, days)) expired++;
  if (expired > 0) wakeMessages(db);
  return expired;
}

function expireOldest(db: Db, days: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ held: quarantine, content: quarantineContents.content })
      .from(quarantine)
      .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
      .where(and(eq(quarantine.reason, "moderation"), isOlderThan(quarantine.createdAt, days)))
      .orderBy(asc(quarantine.createdAt))
      .limit(1)
      .for("update", { of: quarantine, skipLocked: true });
    if (!found) return false;
    const { held, content } = found;
    await tx.delete(quarantine).where(eq(quarantine.id, held.id));
    await notifyAuthor(tx, held, {
      post: decodePendingPost({ ...held, message: new Message(content) }),
      days,
    });
    const ctx = createContext(tx, held.companyId, { kind: "system", task: "apply_retention" });
    await recordAudit(ctx, "group.post_expired", auditDetails(held));
    return true;
  });
}

async function notifyAuthor(
  db: Db,
  held: Quarantined,
  { post, days }: { post: Post; days: number },
): Promise<void> {
  const to = authorAddress(post);
  if (to === null) return;
  const { companyId, recipients, sender, subject, size, createdAt } = held;
  const [group = ""] = recipients;
  const { messageId, raw } = post.message;
  const message: OriginalMessage = {
    id: held.id,
    companyId,
    origin: "incoming",
    mailbox: null,
    groupAddress: group,
    distributionId: null,
    sender,
    isSenderTold: true,
    subject,
    messageId,
    size,
    createdAt,
    envelopeId: null,
    returnFull: true,
  };
  await queueDsn(db, {
    hostname: config().hostname,
    message,
    recipients: [
      {
        rowId: "",
        recipient: group,
        originalRecipient: null,
        notify: null,
        dsn: "5.4.7",
        reply: `No moderator approved the message within ${days} days`,
        message,
        result: "bounced",
        delivery: "expanded",
        host: null,
        giveUpAt: null,
        waitedSeconds: 0,
        isDelayReported: false,
      },
    ],
    to: [to],
    returned: returnedHeader(raw),
    now: new Date(),
  });
}

/** The return path if the author signed in or its domain is that of the verified author, otherwise the author. */
function authorAddress({ author, isFromVerified, sender, from }: Post): string | null {
  if (author) return sender || null;
  if (!isFromVerified || from === null) return null;
  const isAligned = sender !== "" && addressDomain(sender).toLowerCase() === addressDomain(from);
  return isAligned ? sender : from;
}

const SHOWN_MAX = 10;

type ModeratedGroup = { group: Group; domainId: string };

/**
 * Emails a group's moderators, or the company's owners if it has none, about messages waiting for moderation. Does
 * nothing if none are left. Postpones itself if the last notice is less than 15 minutes old.
 */
export async function notifyModerators(db: Db, address: string): Promise<void> {
  await db.transaction(async (tx) => {
    const moderated = await lockGroup(tx, address);
    if (!moderated) return;
    const runAt = await nextNoticeAt(tx, moderated.group);
    if (runAt) return enqueue(tx, "tell_moderators", { group: address }, { runAt });
    const waiting = await listPendingPosts(tx, moderated.group);
    const moderators = await findModerators(tx, moderated.group);
    if (waiting.length > 0 && moderators.length > 0)
      await sendNotice(tx, { ...moderated, waiting, moderators });
  });
  wakeMessages(db);
}

async function lockGroup(db: Db, address: string): Promise<ModeratedGroup | undefined> {
  const [moderated] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(eq(groups.address, address))
    .for("update", { of: groups });
  return moderated;
}

const listPendingPosts = (db: Db, { companyId, address }: Group): Promise<PendingPost[]> =>
  db
    .select({
      from: quarantine.headerFrom,
      subject: quarantine.subject,
      createdAt: quarantine.createdAt,
    })
    .from(quarantine)
    .where(
      and(
        eq(quarantine.companyId, companyId),
        eq(quarantine.reason, "moderation"),
        arrayContains(quarantine.recipients, [address]),
      ),
    )
    .orderBy(asc(quarantine.createdAt))
    .limit(SHOWN_MAX + 1);

async function sendNotice(
  db: Db,
  {
    group,
    domainId,
    waiting,
    moderators,
  }: ModeratedGroup & { waiting: PendingPost[]; moderators: string[] },
): Promise<void> {
  const notice = writeModeratorNotice({
    group: group.address,
    moderators,
    waiting: waiting.slice(0, SHOWN_MAX),
    hasMore: waiting.length > SHOWN_MAX,
    now: new Date(),
  });
  await acceptMessage(db, {
    companyId: group.companyId,
    origin: "report",
    mailbox: null,
    groupAddress: group.address,
    sender: "",
    isSenderTold: false,
    signingDomainId: domainId,
    ...notice,
    recipients: moderators.map((address) => ({ address })),
    clientAddress: null,
  });
}

/** Addresses of a group's moderators with a mailbox here, or of the company's owners if it has none. */
export async function findModerators(
  db: Db,
  { companyId, moderators }: Pick<Group, "companyId" | "moderators">,
): Promise<string[]> {
  const { here } = await expandMembers({ db, companyId }, moderators);
  if (here.size > 0) return [...here.values()];
  const owners = await expandMembers({ db, companyId }, await findOwners({ db, companyId }));
  return [...owners.here.values(), ...owners.outside];
}
