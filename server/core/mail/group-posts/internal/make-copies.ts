import type { Message } from "#server/core/shared/mime/message.ts";
import { addArcSeal } from "#server/core/mail/authentication/arc-seal.ts";
import type { NewMessage } from "#server/core/sending/messages/accept-message.ts";
import type { Db } from "#server/db/client.ts";

import type { Copies } from "./distribute.ts";
import type { ExpandedMembers } from "./expand-members.ts";
import type { Author } from "./identify-author.ts";
import type { Post } from "#server/core/mail/group-posts/post.ts";
import { encodePendingPost } from "#server/core/mail/group-posts/pending-post.ts";

type CopySource = {
  companyId: string;
  /** The address in RCPT TO, and its domain's id; null if the domain isn't on this appliance. */
  address: string;
  domainId: string | null;
  post: Post;
  author: Author | null;
  /** The copy, not sealed yet. */
  copy: Message;
  members: ExpandedMembers;
};

/**
 * Makes the messages that carry a post to its recipients. Their senders get no bounces, since they aren't responsible
 * for the member list and must not learn it. Copies that leave the appliance are DKIM-signed for the domain of a
 * signed-in author, or ARC-sealed otherwise.
 */
export async function makeCopies(db: Db, made: CopySource): Promise<Copies> {
  const { members, copy, post } = made;
  return {
    // Their groups check who can post.
    groups:
      members.foreignGroups.size > 0
        ? toMessage(made, encodePendingPost({ ...post, message: copy }).raw, members.foreignGroups)
        : null,
    here: members.here.size > 0 ? toMessage(made, copy.raw, members.here.values()) : null,
    outside:
      members.outside.size > 0
        ? {
            ...toMessage(made, await outsideContent(db, made), members.outside),
            signingDomainId: signingDomain(made),
          }
        : null,
  };
}

function toMessage(made: CopySource, content: Buffer, recipients: Iterable<string>): NewMessage {
  const { companyId, address, post } = made;
  const { headerFrom, subject, messageId } = post.message.header;
  return {
    companyId,
    origin: "group",
    mailbox: null,
    groupAddress: address,
    sender: post.sender,
    isSenderTold: false,
    signingDomainId: null,
    content,
    recipients: [...recipients].map((address) => ({ address })),
    ...{ headerFrom, subject, messageId },
    clientAddress: post.clientAddress,
  };
}

/** Seals only what we verified on arrival: a signed-in author could have forged our Authentication-Results. */
async function outsideContent(db: Db, { post, copy, domainId }: CopySource): Promise<Buffer> {
  const bare = copy.without(copy.fields.filter(({ name }) => name.startsWith("x-posthouse-")));
  return post.author || domainId === null ? bare.raw : addArcSeal(db, bare, { domainId });
}

const signingDomain = ({ post, author }: CopySource): string | null =>
  post.author && author?.companyId === post.author.companyId ? author.domainId : null;
