import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { isForCatchAll, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";

/** A message to a group or to a company's owners. */
export type Post = {
  /** Idempotency key: a UUID or any other text. */
  id: string;
  /** How long the same id means a repeated delivery, in milliseconds; null for always. */
  repeatsForMs: number | null;
  /** Return path; "" for the null sender. */
  sender: string;
  /** The address in From, lowercase; null if there is none or several. */
  from: string | null;
  /** Authenticated by sign-in or API key; null for mail from outside. */
  author: { companyId: string } | null;
  /** DKIM or SPF passed for the domain of `from` (DMARC alignment). */
  isFromVerified: boolean;
  /** The whole message with its trace fields and CRLF line endings. */
  message: Message;
  clientAddress: string | null;
};

/** The outcome of a post. `refused` becomes the SMTP reply. */
export type Posted =
  | { kind: "distributed"; recipients: number }
  /** It is in quarantine, for moderation or as spam. */
  | { kind: "held" }
  /** Accepted but not delivered: a bounce or an auto-reply. The reason is one line of ASCII. */
  | { kind: "discarded"; reason: string }
  /** 4.x.x can be retried. The text is one line of ASCII. */
  | { kind: "refused"; enhancedCode: `${4 | 5}.${number}.${number}`; text: string };

const FIELD = "X-Posthouse-Post";
const VALUE = /^author=([0-9a-f-]{36}|none); verified=(yes|no)$/;

/** Prepends a field to the message that stores how its author was authenticated. */
export function encodePendingPost({
  message,
  author,
  isFromVerified,
}: Pick<Post, "message" | "author" | "isFromVerified">): Message {
  const value = `author=${author?.companyId ?? "none"}; verified=${isFromVerified ? "yes" : "no"}`;
  return message.withFields(`${FIELD}: ${value}\r\n`);
}

/** Whether `encodePendingPost` made it. Anyone can write such a message, so only ask about our own. */
export const isPendingPost = ({ raw }: Message): boolean =>
  raw.subarray(0, FIELD.length + 1).toString("latin1") === `${FIELD}:`;

/** Restores the post. Only trusts the topmost field; one further down came with the message. */
export function decodePendingPost({
  message: held,
  ...post
}: Pick<Post, "id" | "sender" | "message" | "clientAddress">): Post {
  const [top] = held.fields;
  const isOurs = top?.start === 0 && top.name === FIELD.toLowerCase();
  const [, author, verified] = (isOurs && VALUE.exec(held.value(top.name) ?? "")) || [];
  const message = isOurs ? held.without([top]) : held;
  return {
    ...post,
    repeatsForMs: null,
    message,
    from: message.header.from,
    author: author === undefined || author === "none" ? null : { companyId: author },
    isFromVerified: verified === "yes",
  };
}

/** The verified author of a post. */
export type VerifiedAuthor = {
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
export async function identifyAuthor(db: Db, post: Post): Promise<VerifiedAuthor | null> {
  const { from, author } = post;
  if (from === null) return null;
  const domain = await findDomain(db, addressDomain(from));
  const isSignedIn = author !== null && author.companyId === domain.companyId;
  if (!post.isFromVerified && !isSignedIn) return null;
  const recipient = (await resolveRecipients(db, [from])).get(from);
  const mailbox =
    recipient?.kind === "mailbox" && !isForCatchAll(recipient) ? recipient.mailbox : null;
  return { address: from, mailbox, companyId: domain.companyId, domainId: domain.id };
}

async function findDomain(db: Db, name: string) {
  const [domain] = await db
    .select({ id: domains.id, companyId: domains.companyId })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return domain ?? { id: null, companyId: null };
}

// Removed from everything that comes in, so only we can set it.
const NAME = "x-posthouse-junk";

/** Whether the message was classified as spam on arrival and belongs in Junk. */
export const isJunk = (message: Message): boolean => message.named(NAME).length > 0;

export const withoutJunkMark = (message: Message): Message => message.without(message.named(NAME));
