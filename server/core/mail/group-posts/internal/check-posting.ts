import type { Group } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/shared/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { ExpandedMembers } from "./expand-members.ts";
import type { Author } from "./identify-author.ts";
import type { Post, Posted } from "#server/core/mail/group-posts/post.ts";

type PostCheck = {
  group: Group;
  post: Post;
  /** Null: unproven. */
  author: Author | null;
  members: ExpandedMembers;
};

/**
 * Whether a group lets a message in: null, or the refusal. It says which rule there is and never who
 * would have been let in.
 */
export async function postingError(db: Db, question: PostCheck): Promise<Posted | null> {
  const { group, author } = question;
  if (await canPost(db, question)) return null;
  const doubt = author ? "" : "; who wrote this one could not be verified";
  return { as: "refused", enhancedCode: "5.7.2", text: `${RULES[group.posting]}${doubt}` };
}

const RULES: Record<Group["posting"], string> = {
  anyone: "",
  company: "This group takes mail from its own company only",
  members: "This group takes mail from its members only",
  listed: "This group takes mail from chosen senders only",
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

/** Whether a moderator has to see it first. */
export function needsApproval({ group, author, members }: PostCheck): boolean {
  if (group.moderation !== "strangers") return group.moderation === "all";
  return author === null || !isMember(author, members);
}

/** In person, through a group in the group, or as one of these groups, if they let their members. */
function isMember({ address, mailbox }: Author, members: ExpandedMembers): boolean {
  if (mailbox !== null) return members.here.has(mailbox);
  return members.outside.has(address) || members.groups.has(address);
}

/** By address or domain; one of a mailbox's addresses stands for all of them. */
async function isListed(db: Db, posters: string[], { address, mailbox }: Author): Promise<boolean> {
  if (posters.includes(address) || posters.includes(`@${domainOf(address)}`)) return true;
  if (mailbox === null) return false;
  const listed = await resolveRecipients(
    db,
    posters.filter((poster) => !poster.startsWith("@")),
  );
  return [...listed.values()].some((it) => it.kind === "mailbox" && it.mailbox === mailbox);
}
