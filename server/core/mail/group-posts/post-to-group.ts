import { inArray } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { findGroup, type TakingGroup } from "#server/core/mailboxes/groups/find-group.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";
import type { Db } from "#server/db/client.ts";

import { distribute, findDistribution, lockDistribution } from "./internal/distribute.ts";
import { deriveId } from "./derive-id.ts";
import { type ExpandedMembers, expandMembers } from "./internal/expand-members.ts";
import { encodePendingPost } from "./internal/pending-post.ts";
import { type Author, identifyAuthor } from "./internal/identify-author.ts";
import { needsApproval, postingError } from "./internal/check-posting.ts";
import { isJunk, withoutJunkMark } from "./junk-mark.ts";
import type { List } from "./internal/list-fields.ts";
import { makeCopies } from "./internal/make-copies.ts";
import { scheduleModeratorNotice } from "./internal/schedule-moderator-notice.ts";
import type { Post, Posted } from "./post.ts";
import { isLooping, readRoutingFields } from "./internal/read-routing-fields.ts";
import { writeCopy } from "./internal/write-copy.ts";

/** More labels than a domain name can have. */
const LABELS_MAX = 130;

export type { Post, Posted } from "./post.ts";

/**
 * Hands a message to a group: to its members, to its moderators, to nobody, or back with a reason.
 * What it returns is committed; the same post again, also at the same time, changes nothing.
 *
 * Mail without a sender and automatic answers go no further (RFC 3834, 4): they are about one message
 * of one member, and their writers answer lists that answer them. What a program writes of its own
 * accord (`auto-generated`) is distributed.
 *
 * @param address the group's
 */
export async function postToGroup(db: Db, address: string, post: Post): Promise<Posted> {
  const posted = await routePost(db, address, post);
  if (posted.as === "distributed") wakeMessages(db);
  return posted;
}

async function routePost(db: Db, address: string, post: Post): Promise<Posted> {
  const group = await findGroup(db, address);
  if (!group) return { as: "refused", enhancedCode: "5.1.1", text: "There is no such address" };
  const traces = readRoutingFields(post.content);
  if (isLooping(traces, group.address))
    return { as: "refused", enhancedCode: "5.4.6", text: "This message has been here before" };
  if (post.sender === "" || traces.isAutoReply) return { as: "discarded" };
  const id = deriveId(post.id, group.address);
  const done = await findDistribution(db, id);
  if (done !== null) return { as: "distributed", recipients: done };

  const author = await identifyAuthor(db, post);
  const members = await expandMembers(db, group.companyId, [group.address]);
  const question = { group, post, author, members };
  const refusal = await postingError(db, question);
  if (refusal) return refusal;
  if (isEmpty(members)) return { as: "discarded" };
  if (needsApproval(question)) return queueForModeration(db, { group, post, id });
  return distributePost(db, { ...question, id });
}

const isEmpty = ({ here, outside, foreignGroups }: ExpandedMembers) =>
  here.size + outside.size + foreignGroups.size === 0;

/**
 * Distributes what a moderator has approved: it is not judged again, and no spam whatever it was taken
 * for. Call `wakeMessages` after the commit.
 *
 * @param id of the distribution, as it was when the message was held
 */
export async function postApproved(
  db: Db,
  { group, post: held, id }: { group: TakingGroup; post: Post; id: string },
): Promise<Posted> {
  const post = { ...held, content: withoutJunkMark(held.content) };
  const author = await identifyAuthor(db, post);
  const members = await expandMembers(db, group.companyId, [group.address]);
  return distributePost(db, { group, post, id, author, members });
}

type Distributed = {
  group: TakingGroup;
  post: Post;
  id: string;
  author: Author | null;
  members: ExpandedMembers;
};

async function distributePost(db: Db, distributed: Distributed): Promise<Posted> {
  const { group, post, id, members } = distributed;
  const isSpam = isJunk(post.content);
  if (isSpam && members.here.size + members.foreignGroups.size === 0)
    return quarantineJunk(db, { group, post, id });
  const content = writeCopy(post.content, {
    list: group,
    isRepliedToGroup: group.replies === "group",
    earlier: await findListById(db, readRoutingFields(post.content).listId),
  });
  let recipients = 0;
  // Before our own commit, which is what a repetition looks for.
  for (const foreign of members.foreignGroups) {
    const posted = await routePost(db, foreign, { ...post, id, content });
    if (posted.as === "distributed") recipients += posted.recipients;
  }
  const { companyId, address, domainId } = group;
  const copies = await makeCopies(db, {
    ...{ ...distributed, companyId, address, domainId, content },
    // What goes to Junk here does not go out in our name.
    members: isSpam ? { ...members, outside: new Set() } : members,
  });
  recipients += await distribute(db, id, copies);
  return { as: "distributed", recipients };
}

/** The group of this appliance that a List-Id belongs to: the dot that was an @ may be any of them. */
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

/**
 * Keeps spam for an admin that all members of a group would get outside the appliance: none is sent on
 * from here, and nobody has a Junk folder that it could go to.
 *
 * @param id of the distribution: a repetition keeps no second one
 */
async function quarantineJunk(
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

/**
 * Keeps a message until a moderator decides, who is told. When it has been approved meanwhile, as a
 * repetition may find, it stays distributed.
 *
 * @param id of the distribution that an approval makes
 */
async function queueForModeration(
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
      content: encodePendingPost(post),
    });
    if (isNew) await scheduleModeratorNotice(tx, group);
    return { as: "held" };
  });
}
