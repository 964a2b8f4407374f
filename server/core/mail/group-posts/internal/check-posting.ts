import type { Group } from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { isForCatchAll, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { ExpandedMembers } from "./expand-members.ts";
import type { Post, Posted, VerifiedAuthor } from "#server/core/mail/group-posts/post.ts";

type PostCheck = {
  group: Group;
  post: Post;
  /** Null if not verified. */
  author: VerifiedAuthor | null;
  members: ExpandedMembers;
};

/** Null if the author can post to the group. The error names the rule, but never who can post. */
export async function findPostingError(db: Db, question: PostCheck): Promise<Posted | null> {
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
export function needsApproval({ group, author, members }: PostCheck): boolean {
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
