import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";

import { distribute, findDistribution } from "./distribute.ts";
import { derivedId } from "./distribution-id.ts";
import { type Expanded, expandMembers } from "./expand-members.ts";
import { findGroup, type TakingGroup } from "#server/core/mailboxes/groups/find-group.ts";
import { findList } from "./find-list.ts";
import { holdPost } from "./hold-post.ts";
import { type Author, identifyAuthor } from "./identify-author.ts";
import { isJunk, withoutJunkMark } from "./junk-mark.ts";
import { needsApproval, whyMayNotPost } from "./judge-post.ts";
import { keepJunk } from "./keep-junk.ts";
import { makeCopies } from "./make-copies.ts";
import type { Post, Posted } from "./post.ts";
import { isLooping, readTraces } from "./read-traces.ts";
import { writeCopy } from "./write-copy.ts";

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
  const posted = await decide(db, address, post);
  if (posted.as === "distributed") wakeMessages(db);
  return posted;
}

async function decide(db: Db, address: string, post: Post): Promise<Posted> {
  const group = await findGroup(db, address);
  if (!group) return { as: "refused", enhancedCode: "5.1.1", text: "There is no such address" };
  const traces = readTraces(post.content);
  if (isLooping(traces, group.address))
    return { as: "refused", enhancedCode: "5.4.6", text: "This message has been here before" };
  if (post.sender === "" || traces.isAutomaticAnswer) return { as: "discarded" };
  const id = derivedId(post.id, group.address);
  const done = await findDistribution(db, id);
  if (done !== null) return { as: "distributed", recipients: done };

  const author = await identifyAuthor(db, post);
  const members = await expandMembers(db, group.companyId, [group.address]);
  const question = { group, post, author, members };
  const refusal = await whyMayNotPost(db, question);
  if (refusal) return refusal;
  if (isEmpty(members)) return { as: "discarded" };
  if (needsApproval(question)) return holdPost(db, { group, post, id });
  return distributePost(db, { ...question, id });
}

const isEmpty = ({ here, outside, foreignGroups }: Expanded) =>
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
  members: Expanded;
};

async function distributePost(db: Db, distributed: Distributed): Promise<Posted> {
  const { group, post, id, members } = distributed;
  const isSpam = isJunk(post.content);
  if (isSpam && members.here.size + members.foreignGroups.size === 0)
    return keepJunk(db, { group, post, id });
  const content = writeCopy(post.content, {
    list: group,
    isRepliedToGroup: group.replies === "group",
    earlier: await findList(db, readTraces(post.content).listId),
  });
  let recipients = 0;
  // Before our own commit, which is what a repetition looks for.
  for (const foreign of members.foreignGroups) {
    const posted = await decide(db, foreign, { ...post, id, content });
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
