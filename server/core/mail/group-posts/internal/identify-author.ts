import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { isCatchAll, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { Post } from "#server/core/mail/group-posts/post.ts";

/** The verified author of a post. */
export type Author = {
  address: string;
  /** The mailbox that the address resolves to; null for an outside address. */
  mailbox: string | null;
  /** The company that owns the address's domain; null for outside domains. */
  companyId: string | null;
  domainId: string | null;
};

/**
 * Identifies a post's author if From is verified: by DMARC alignment, or because the sender signed in at the company
 * that owns the domain. Null otherwise.
 */
export async function identifyAuthor(db: Db, post: Post): Promise<Author | null> {
  const { from, author } = post;
  if (from === null) return null;
  const domain = await findDomain(db, addressDomain(from));
  const isSignedIn = author !== null && author.companyId === domain.companyId;
  if (!post.isFromVerified && !isSignedIn) return null;
  const recipient = (await resolveRecipients(db, [from])).get(from);
  const mailbox =
    recipient?.kind === "mailbox" && !isCatchAll(recipient) ? recipient.mailbox : null;
  return { address: from, mailbox, companyId: domain.companyId, domainId: domain.id };
}

async function findDomain(db: Db, name: string) {
  const [domain] = await db
    .select({ id: domains.id, companyId: domains.companyId })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return domain ?? { id: null, companyId: null };
}
