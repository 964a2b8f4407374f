import { createHash } from "node:crypto";

import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";

/** What a message says about the emails that it may reply to. */
export type ReplyFacts = {
  /** Ids of emails, most likely first, each with the Message-ID that names it; null in a tag. */
  candidates: { emailId: string; messageId: string | null }[];
  /** Message-ID of the reply; if it has none, a hash in its place. */
  messageId: string;
  /** The author's address, lowercase; null if there isn't exactly one. */
  author: string | null;
  headerFrom: string;
  subject: string;
  /** A vacation reply or another message that a program sent. */
  isAutomatic: boolean;
};

const CANDIDATES_MAX = 20;
const FIELD_LENGTH_MAX = 16_384;
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
/** The Message-ID that an email gets here. */
const OWN_MESSAGE_ID = new RegExp(`<(${UUID})@[^<>\\s]+>`, "gi");
const TAG = new RegExp(`\\+(${UUID})@`, "i");

/**
 * Checks whether a message could be a reply to an API email, by In-Reply-To and References (RFC 5322, 3.6.4) or by an
 * email ID in the address tag. Null for bounces and most other mail; reads only the header.
 *
 * @param sender return path; "" for none
 * @param receivedFor the addresses it was sent to
 */
export function readReply(
  message: Message,
  sender: string,
  receivedFor: readonly string[],
): ReplyFacts | null {
  const named = [
    ...idsIn(message.value("in-reply-to")),
    // The last one is the parent.
    ...idsIn(message.value("references")).toReversed(),
  ];
  const tags = receivedFor.flatMap((address) => TAG.exec(address)?.[1]?.toLowerCase() ?? []);
  const candidates = [...named, ...tags.map((emailId) => ({ emailId, messageId: null }))];
  if (candidates.length === 0) return null;
  const automatic = isAutomatic(message);
  if (!automatic && (sender === "" || isBounce(message))) return null;
  const { from, headerFrom, subject, messageId } = message.header;
  return {
    candidates: candidates.slice(0, CANDIDATES_MAX),
    messageId: messageId ?? bodyHash(message.raw),
    author: from,
    headerFrom,
    subject,
    isAutomatic: automatic,
  };
}

function idsIn(value: string | null) {
  const text = value?.slice(-FIELD_LENGTH_MAX) ?? "";
  return [...text.matchAll(OWN_MESSAGE_ID)].map(([messageId, id]) => ({
    emailId: id!.toLowerCase(),
    messageId,
  }));
}

/** RFC 3834, 5, and the fields that came before it. */
function isAutomatic(message: Message): boolean {
  const has = (name: string, pattern: RegExp) =>
    message.values(name).some((value) => pattern.test(value));
  return (
    has("auto-submitted", /^auto-/i) ||
    has("precedence", /^(auto_reply|bulk|junk)\b/i) ||
    has("x-autoreply", /^(?!no\b)/i) ||
    has("x-autorespond", /./)
  );
}

/** RFC 3464, 2. A forwarded one has a sender. */
const isBounce = (message: Message) =>
  message.values("content-type").some((value) => /^multipart\/report\b/i.test(value));

const bodyHash = (content: Buffer) =>
  createHash("sha256")
    .update(content.subarray(headerEnd(content)))
    .digest("hex");
