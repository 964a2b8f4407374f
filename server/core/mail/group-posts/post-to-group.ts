import { and, eq, inArray, ne } from "drizzle-orm";

import { type Group, groups, groupUnits } from "#drizzle/schema/index.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { type ActiveGroup, findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { isForCatchAll, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { deriveRepeatIds } from "#server/core/shared/derive-id.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import {
  type Copies,
  copyIds,
  findDistribution,
  findRepeat,
  isLooping,
  type List,
  makeCopies,
  readRoutingFields,
  writeCopy,
} from "./internal/copies.ts";
import { type ExpandedMembers, expandMembers } from "./internal/expand-members.ts";
import { scheduleModeratorNotice } from "./internal/moderator-notice.ts";
import {
  encodePendingPost,
  identifyAuthor,
  isJunk,
  type Post,
  type Posted,
  type VerifiedAuthor,
  withoutJunkMark,
} from "./post.ts";

export type { Post, Posted } from "./post.ts";

const LABELS_MAX = 130;

/**
 * Posts a message to a group: distributes it to the members, queues it for moderation, discards or refuses it. The
 * result is committed. Idempotent, also concurrently.
 *
 * Discards mail with a null sender and auto-replies (RFC 3834, 4), which concern one member and can loop. Mail that
 * a program sends unprompted (`auto-generated`) is distributed.
 *
 * @param address the group's
 */
export async function postToGroup(db: Db, address: string, post: Post): Promise<Posted> {
  const posted = await routePost(db, address, post);
  if (posted.kind === "distributed") wakeMessages(db);
  return posted;
}

async function routePost(db: Db, address: string, post: Post): Promise<Posted> {
  const group = await findGroup(db, address);
  if (!group) return { kind: "refused", enhancedCode: "5.1.1", text: "No such address" };
  const traces = readRoutingFields(post.message);
  if (isLooping(traces, group.address))
    return {
      kind: "refused",
      enhancedCode: "5.4.6",
      text: "Mail loop: the message was already delivered here",
    };
  if (post.sender === "")
    return { kind: "discarded", reason: "groups don't distribute mail with a null sender" };
  if (traces.isAutoReply)
    return { kind: "discarded", reason: "groups don't distribute automatic replies" };
  const ids = deriveRepeatIds({ key: post.id, repeatsForMs: post.repeatsForMs }, group.address);
  const repeated = await findRepeat(db, ids);
  if (repeated) return repeated;

  const author = await identifyAuthor(db, post);
  const members = await expandMembers({ db, companyId: group.companyId }, [group.address]);
  const question = { group, post, author, members };
  const refusal = await findPostingError(db, question);
  if (refusal) return refusal;
  if (isEmpty(members))
    return (await hasUnits(db, members))
      ? NO_MEMBERS
      : { kind: "discarded", reason: "the group has no members" };
  const { id } = ids;
  if (needsApproval(question)) return queueForModeration(db, { group, post, id });
  return db.transaction((tx) => distributePost(tx, { ...question, id }));
}

const NO_MEMBERS: Posted = {
  kind: "refused",
  enhancedCode: "5.2.1",
  text: "This group has no members",
};

/** The API's promise to discard is about groups with neither addresses nor units. Units lose mailboxes without anyone looking at the group. */
const hasUnits = async (db: Db, { groups }: ExpandedMembers) =>
  (await db.$count(groupUnits, inArray(groupUnits.groupAddress, [...groups]))) > 0;

const isEmpty = ({ here, outside, foreignGroups }: ExpandedMembers) =>
  here.size + outside.size + foreignGroups.size === 0;

/**
 * Distributes a message that a moderator or an admin approved, without checking posting rules or spam again, to the
 * members that don't have it yet. Call `wakeMessages` after the commit.
 *
 * @param id of the distribution, set when the message was put in quarantine
 * @returns `refused` if the group has no members
 */
export async function postApproved(
  db: Db,
  { group, post: held, id }: { group: ActiveGroup; post: Post; id: string },
): Promise<Posted> {
  const post = { ...held, message: withoutJunkMark(held.message) };
  const author = await identifyAuthor(db, post);
  const members = await expandMembers({ db, companyId: group.companyId }, [group.address]);
  if (isEmpty(members)) return NO_MEMBERS;
  return distributePost(db, { group, post, id, author, members, isCompletion: true });
}

type Distributed = {
  group: ActiveGroup;
  post: Post;
  id: string;
  author: VerifiedAuthor | null;
  members: ExpandedMembers;
  isCompletion?: boolean;
};

async function distributePost(db: Db, distributed: Distributed): Promise<Posted> {
  const { group, post, id, members, isCompletion } = distributed;
  const isSpam = isJunk(post.message);
  const hasMembersHere = members.here.size + members.foreignGroups.size > 0;
  if (isSpam && members.outside.size > 0)
    await quarantineJunk(db, { group, post, id, isPart: hasMembersHere });
  if (isSpam && !hasMembersHere) return { kind: "held" };
  const copy = writeCopy(post.message, {
    list: group,
    isRepliedToGroup: group.replies === "group",
    earlier: await findListById(db, readRoutingFields(post.message).listId),
  });
  const { companyId, address, domainId } = group;
  const copies = await makeCopies(db, {
    ...distributed,
    companyId,
    address,
    domainId,
    copy,
    // Spam goes to members' Junk folders, but never leaves the appliance.
    members: isSpam ? { ...members, outside: new Set() } : members,
  });
  return { kind: "distributed", recipients: await distribute(db, id, { copies, isCompletion }) };
}

/** The group of this appliance with this List-Id. Any of its dots may stand for the @. */
async function findListById(db: Db, listId: string | null): Promise<List | null> {
  const labels = listId?.slice(1, -1).split(".") ?? [];
  if (labels.length < 3 || labels.length > LABELS_MAX) return null;
  const candidates = labels
    .slice(1)
    .map((_, i) => `${labels.slice(0, i + 1).join(".")}@${labels.slice(i + 1).join(".")}`);
  const [list] = await db
    .select({ address: groups.address, name: groups.name })
    .from(groups)
    .where(inArray(groups.address, candidates))
    .limit(1);
  return list ?? null;
}

const OUTSIDE_ONLY = "Quarantined only for external members. Other members have it in Junk";

/**
 * Quarantines spam for a group's external members: spam doesn't leave the appliance, and they have no Junk folder here.
 * A release distributes it to them.
 *
 * @param id of the distribution, which makes this idempotent
 * @param isPart other members get it in Junk
 */
async function quarantineJunk(
  db: Db,
  { group, post, id, isPart }: { group: ActiveGroup; post: Post; id: string; isPart: boolean },
): Promise<void> {
  const { headerFrom, subject } = post.message.header;
  await quarantineMessage(db, {
    id,
    companyId: group.companyId,
    reason: "spam",
    sender: post.sender,
    recipients: [group.address],
    headerFrom,
    subject,
    clientAddress: post.clientAddress,
    score: null,
    findings: isPart ? [OUTSIDE_ONLY] : [],
    content: post.message.raw,
  });
}

/**
 * Quarantines a message until a moderator decides, and notifies the moderators. If a retry finds that it was approved
 * in the meantime, it stays distributed.
 *
 * @param id of the distribution that approval will create
 */
async function queueForModeration(
  db: Db,
  { group, post, id }: { group: ActiveGroup; post: Post; id: string },
): Promise<Posted> {
  const { headerFrom, subject } = post.message.header;
  return db.transaction(async (tx) => {
    await lock(tx, "groupPost", id);
    const done = await findDistribution(tx, id);
    if (done !== null) return { kind: "distributed", recipients: done };
    const { isNew } = await quarantineMessage(tx, {
      id,
      companyId: group.companyId,
      reason: "moderation",
      sender: post.sender,
      recipients: [group.address],
      headerFrom,
      subject,
      clientAddress: post.clientAddress,
      score: null,
      findings: post.isFromVerified || post.author ? [] : ["The sender could not be verified"],
      content: encodePendingPost(post).raw,
    });
    if (isNew) await scheduleModeratorNotice(tx, group);
    return { kind: "held" };
  });
}

/** Whether posting to a group is restricted, so that it may reject a message after its content. */
export const isPostingRestricted = async (db: Db, group: string): Promise<boolean> =>
  (await db.$count(groups, and(eq(groups.address, group), ne(groups.posting, "anyone")))) > 0;

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

type PostCheck = {
  group: Group;
  post: Post;
  /** Null if not verified. */
  author: VerifiedAuthor | null;
  members: ExpandedMembers;
};

/** Null if the author can post to the group. The error names the rule, but never who can post. */
async function findPostingError(db: Db, question: PostCheck): Promise<Posted | null> {
  const { group, author } = question;
  if (await canPost(db, question)) return null;
  const doubt = author ? "" : ", and the sender of this message could not be verified";
  return { kind: "refused", enhancedCode: "5.7.2", text: `${RULES[group.posting]}${doubt}` };
}

const RULES: Record<Group["posting"], string> = {
  anyone: "",
  company: "This group only accepts mail from its company",
  members: "This group only accepts mail from its members",
  listed: "This group only accepts mail from listed senders",
};

async function canPost(db: Db, question: PostCheck): Promise<boolean> {
  const { group, post, author, members } = question;
  switch (group.posting) {
    case "anyone":
      return true;
    case "company":
      return [post.author?.companyId, author?.companyId].includes(group.companyId);
    case "members":
      return author !== null && isMember(author, members);
    case "listed":
      return author !== null && (await isListed(db, group.posters, author));
  }
}

/** Whether a moderator must approve the post first. */
function needsApproval({ group, author, members }: PostCheck): boolean {
  if (group.moderation !== "strangers") return group.moderation === "all";
  return author === null || !isMember(author, members);
}

/** Whether the author is a member directly, through a nested group, or sends as a nested group. */
function isMember({ address, mailbox }: VerifiedAuthor, members: ExpandedMembers): boolean {
  if (members.here.has(mailbox ?? address)) return true;
  return mailbox === null && (members.outside.has(address) || members.groups.has(address));
}

/** Whether the author's address or domain is listed. Any address of a mailbox covers all of its addresses. */
async function isListed(
  db: Db,
  posters: string[],
  { address, mailbox }: VerifiedAuthor,
): Promise<boolean> {
  if (posters.includes(address) || posters.includes(`@${addressDomain(address)}`)) return true;
  if (mailbox === null) return false;
  const listed = await resolveRecipients(
    db,
    posters.filter((poster) => !poster.startsWith("@")),
  );
  return [...listed.values()].some(
    (it) => it.kind === "mailbox" && it.mailbox === mailbox && !isForCatchAll(it),
  );
}
