import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/shared/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { Post } from "#server/core/mail/group-posts/post.ts";

/** Whom a post's From can be taken for. */
export type Author = {
  address: string;
  /** The mailbox that the address belongs to, through alias or tag; null for one outside. */
  mailbox: string | null;
  /** Whose proven domain the address is at; null for nobody's here. */
  companyId: string | null;
  /** That domain's id. */
  domainId: string | null;
};

/**
 * Who wrote a post, as far as that is proven: by DKIM or SPF for the domain of From (DMARC), or by
 * signing in to the company that has the domain. Null when anybody could have written that From.
 */
export async function identifyAuthor(db: Db, post: Post): Promise<Author | null> {
  const { from, author } = post;
  if (from === null) return null;
  const domain = await findDomain(db, domainOf(from));
  const isSignedIn = author !== null && author.companyId === domain.companyId;
  if (!post.isFromVerified && !isSignedIn) return null;
  const recipient = (await resolveRecipients(db, [from])).get(from);
  const mailbox = recipient?.kind === "mailbox" ? recipient.mailbox : null;
  return { address: from, mailbox, companyId: domain.companyId, domainId: domain.id };
}

async function findDomain(db: Db, name: string) {
  const [domain] = await db
    .select({ id: domains.id, companyId: domains.companyId })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return domain ?? { id: null, companyId: null };
}
