import type { AddressHeaders } from "#drizzle/schema/emails.ts";
import { trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";

import { addressField } from "./address-field.ts";
import { type Attachment, attachmentPart } from "./attachment-part.ts";
import { encodeBody } from "./internal/encode-body.ts";
import {
  customField,
  requireSingleLine,
  subjectField,
} from "#server/core/shared/mime/header-field.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { multipart, type Part } from "./internal/multipart.ts";
import { textFromHtmlInThread } from "./internal/text-from-html-thread.ts";
import { textFromHtml } from "./internal/text-from-html.ts";

/**
 * Larger documents are converted in a thread; this much blocks the event loop for a few milliseconds at
 * worst.
 */
const HTML_CHARS_ON_LOOP_MAX = 65_536;

export type ComposableEmail = {
  /** With angle brackets. */
  messageId: string;
  date: Date;
  /** Header addresses. Bcc recipients are in the envelope only. */
  addressHeaders: AddressHeaders;
  subject: string;
  html: string | null;
  /** Null: generate a text part from html. "": no text part. */
  text: string | null;
  /** Already validated: allowed names, single-line values. */
  headers: Record<string, string>;
  /** In message order. */
  attachments: Attachment[];
  /** Null: no tracking. */
  tracking: { emailId: string; baseUrl: string; opens: boolean; clicks: boolean } | null;
};

/**
 * Composes the unsigned RFC 5322 bytes: ASCII with CRLF line ends, no line over 998 octets. Deterministic, so
 * that every attempt sends the same message.
 *
 * @throws Error if a header value contains a line end, which validation should have rejected
 */
export async function composeMessage(email: ComposableEmail): Promise<Buffer> {
  const head = headerFields(email);
  const { fields, body } = await contentOf(email);
  const last = body.at(-1)!;
  const isComplete = last.length === 0 || last.subarray(-2).equals(CRLF);
  const start = Buffer.from(`${head}${fields}\r\n`, "latin1");
  return Buffer.concat(isComplete ? [start, ...body] : [start, ...body, CRLF]);
}

const CRLF = Buffer.from("\r\n");

function headerFields(email: ComposableEmail): string {
  const { from, to, cc, replyTo } = email.addressHeaders;
  requireSingleLine("Subject", email.subject);
  if (!/^<[\x21-\x7e]+>$/.test(email.messageId)) throw new Error("Not a Message-ID");
  return [
    addressField("From", [from]),
    addressField("To", to),
    addressField("Cc", cc),
    addressField("Reply-To", replyTo),
    subjectField(email.subject),
    `Date: ${rfc5322Date(email.date)}\r\n`,
    `Message-ID: ${email.messageId}\r\n`,
    ...Object.entries(email.headers).map(([name, value]) => customField(name, value)),
    "MIME-Version: 1.0\r\n",
  ].join("");
}

/**
 * Nests parts like Outlook, Gmail and Apple Mail: alternative(text, html), inside related(…, inline files),
 * inside mixed(…, attachments).
 */
async function contentOf(email: ComposableEmail): Promise<Part> {
  const isReferenced = contentReferences(email.html);
  const files = await Promise.all(
    email.attachments.map(async (file, position) => {
      const isShown = isReferenced(file.contentId);
      return { isShown, part: await attachmentPart(file, { position, isShown }) };
    }),
  );
  const shown = files.filter(({ isShown }) => isShown).map(({ part }) => part);
  const others = files.filter(({ isShown }) => !isShown).map(({ part }) => part);
  const text = multipart("alternative", await textParts(email), email.messageId);
  const related = multipart("related", [text, ...shown], email.messageId);
  return multipart("mixed", [related, ...others], email.messageId);
}

/** Plainest first (RFC 2046 section 5.1.4). At least one part. */
async function textParts({ html, text, tracking, headers }: ComposableEmail): Promise<Part[]> {
  const plain = await plainText({ html, text });
  if (!html) return [textPart("plain", plain)];
  const rich = textPart(
    "html",
    tracking ? trackHtml(html, { ...tracking, ...unsubscribeOption(headers) }) : html,
  );
  return plain ? [textPart("plain", plain), rich] : [rich];
}

/** The text version: as given, or generated from the original HTML, whose links aren't tracked. */
export async function plainText({
  html,
  text,
}: Pick<ComposableEmail, "html" | "text">): Promise<string> {
  return text ?? (html ? await generatedText(html) : "");
}

/** Header names are case-insensitive. */
function unsubscribeOption(headers: Record<string, string>): { listUnsubscribe?: string } {
  const [found] = Object.entries(headers).filter(
    ([name]) => name.toLowerCase() === "list-unsubscribe",
  );
  return found ? { listUnsubscribe: found[1] } : {};
}

function generatedText(html: string): string | Promise<string> {
  return html.length > HTML_CHARS_ON_LOOP_MAX ? textFromHtmlInThread(html) : textFromHtml(html);
}

function textPart(subtype: "plain" | "html", content: string): Part {
  const { encoding, bytes } = encodeBody(content);
  const fields =
    `Content-Type: text/${subtype}; charset=utf-8\r\n` +
    `Content-Transfer-Encoding: ${encoding}\r\n`;
  return { fields, body: [bytes] };
}

function rfc5322Date(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new Error("Not a date");
  return date.toUTCString().replace("GMT", "+0000");
}
