import { headerFields } from "#server/core/shared/mime/header-fields.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";
import { addArcSeal } from "#server/core/mail/authentication/arc-seal.ts";
import type { NewMessage } from "#server/core/sending/messages/accept-message.ts";
import type { Db } from "#server/db/client.ts";

import type { Copies } from "./distribute.ts";
import type { ExpandedMembers } from "./expand-members.ts";
import type { Author } from "./identify-author.ts";
import type { Post } from "#server/core/mail/group-posts/post.ts";
import { encodePendingPost } from "#server/core/mail/group-posts/pending-post.ts";
import { withoutFields } from "./write-copy.ts";

type CopySource = {
  companyId: string;
  /** The address in RCPT TO, and its domain's id; null if the domain isn't on this appliance. */
  address: string;
  domainId: string | null;
  post: Post;
  author: Author | null;
  /** Not sealed yet. */
  content: Buffer;
  members: ExpandedMembers;
};

/**
 * Makes the messages that carry a post to its recipients. Their senders get no bounces, since they aren't responsible
 * for the member list and must not learn it. Copies that leave the appliance are DKIM-signed for the domain of a
 * signed-in author, or ARC-sealed otherwise.
 */
export async function makeCopies(db: Db, made: CopySource): Promise<Copies> {
  const { members, content, post } = made;
  return {
    // Their groups check who can post.
    groups:
      members.foreignGroups.size > 0
        ? toMessage(made, encodePendingPost({ ...post, content }), members.foreignGroups)
        : null,
    here: members.here.size > 0 ? toMessage(made, content, members.here.values()) : null,
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
  const { headerFrom, subject, messageId } = readHeader(post.content);
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
async function outsideContent(db: Db, { post, content, domainId }: CopySource): Promise<Buffer> {
  const ours = headerFields(content).filter(({ name }) => name.startsWith("x-posthouse-"));
  const bare = withoutFields(content, ours);
  return post.author || domainId === null ? bare : addArcSeal(db, bare, { domainId });
}

const signingDomain = ({ post, author }: CopySource): string | null =>
  post.author && author?.companyId === post.author.companyId ? author.domainId : null;
