import type { AddressHeaders, HeaderAddress } from "#drizzle/schema/emails.ts";
import { trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";
import {
  unsubscribeHeaders,
  type UnsubscribeTarget,
} from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import {
  customField,
  encodedPieces,
  foldedField,
  requireSingleLine,
  splitIntoPieces,
  subjectField,
} from "#server/core/shared/mime/header-fields.ts";
import { quotedPrintable } from "#server/core/shared/mime/transfer-encoding.ts";

import { type Attachment, attachmentPart, type BodyPart, multipart } from "./attachment-part.ts";
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
async function contentOf(email: ComposableEmail): Promise<BodyPart> {
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
async function textParts({ html, text, tracking, headers }: ComposableEmail): Promise<BodyPart[]> {
  const plain = await textVersion({ html, text });
  if (!html) return [textPart("plain", plain)];
  const rich = textPart(
    "html",
    tracking ? trackHtml(html, { ...tracking, ...unsubscribeOption(headers) }) : html,
  );
  return plain ? [textPart("plain", plain), rich] : [rich];
}

/** The text version: as given, or generated from the original HTML, whose links aren't tracked. */
export async function textVersion({
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

const generatedText = (html: string): string | Promise<string> =>
  html.length > HTML_CHARS_ON_LOOP_MAX ? textFromHtmlInThread(html) : textFromHtml(html);

function textPart(subtype: "plain" | "html", content: string): BodyPart {
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

/** Names this software to Gmail, which wants 5 to 15 characters that stay the same. */
const SENDER_ID = "posthouse";

type Headers = Record<string, string>;

/** The campaign of an email with these tags; null without the tag `campaign`. */
export const campaignOf = (tags: { name: string; value: string }[]): string | null =>
  tags.find(({ name }) => name === "campaign")?.value ?? null;

/**
 * The custom headers of a composed message: those of the email, its unsubscribe link, and a Feedback-ID, by which Gmail
 * groups spam complaints (`campaign:customer:mail type:sender`).
 *
 * @param campaign as `campaignOf` returns it
 */
export function sentHeaders(
  headers: Headers,
  target: UnsubscribeTarget & { campaign: string | null },
): Headers {
  const sent = unsubscribeHeaders(headers, target);
  const isList = Object.keys(sent).some((name) => name.toLowerCase() === "list-unsubscribe");
  const mailType = isList ? "list" : "transactional";
  const id = [target.campaign ?? "", target.companyId, mailType, SENDER_ID].join(":");
  return { ...sent, "Feedback-ID": id };
}

/** Names of atoms need no quotes (RFC 5322 section 3.2.3). */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
const WORD_CHARS_MAX = 60;

/** Formats a From, To, Cc or Reply-To field (RFC 5322 section 3.6); empty without addresses. */
export function addressField(field: string, addresses: HeaderAddress[]): string {
  if (addresses.length === 0) return "";
  const pieces: string[] = [];
  for (const [
    i,
    { name, address: lowercase, written: address = lowercase },
  ] of addresses.entries()) {
    requireSingleLine(field, name);
    if (!PRINTABLE_ASCII.test(address)) throw new Error(`Not an ASCII address in ${field}`);
    const comma = i < addresses.length - 1 ? "," : "";
    if (name === "") pieces.push(` ${address}${comma}`);
    else pieces.push(...namePieces(name), ` <${address}>${comma}`);
  }
  return foldedField(field, pieces);
}

function namePieces(name: string): string[] {
  const encode =
    !PRINTABLE_ASCII.test(name) ||
    name.includes("=?") ||
    name !== name.trim() ||
    splitIntoPieces(name).some((word) => word.length > WORD_CHARS_MAX);
  if (encode) return encodedPieces(name);
  if (ATOMS.test(name)) return splitIntoPieces(name);
  return splitIntoPieces(`"${name.replace(/["\\]/g, "\\$&")}"`);
}

/** The limit is 998 octets (RFC 5322 section 2.1.1); leaves room for relays. */
const LINE_CHARS_MAX = 900;

/**
 * Above this share of non-ASCII bytes, base64 is shorter than quoted-printable, which would be unreadable
 * anyway.
 */
const BASE64_SHARE = 1 / 4;

const BASE64_LINE_BYTES = 57;

export type EncodedBody = {
  encoding: "7bit" | "quoted-printable" | "base64";
  /** Without a trailing line end. */
  bytes: Buffer;
};

/** Encodes text as a 7-bit-safe MIME body. Converts all line ends to CRLF. */
export function encodeBody(text: string): EncodedBody {
  const lines = withCrlf(text);
  if (!/[^\t\r\n\x20-\x7e]/.test(lines) && hasPlainLines(lines)) {
    return { encoding: "7bit", bytes: Buffer.from(lines, "latin1") };
  }
  const utf8 = Buffer.from(lines);
  if (bytesBeyondAscii(utf8) > utf8.length * BASE64_SHARE) {
    return { encoding: "base64", bytes: base64(utf8) };
  }
  return { encoding: "quoted-printable", bytes: quotedPrintable(utf8) };
}

function withCrlf(text: string): string {
  if (!text.includes("\r")) return text.replaceAll("\n", "\r\n");
  return text.replace(/\r\n?|\n/g, "\r\n");
}

/** Whether no line is too long or starts with "From ", which mbox files escape. */
function hasPlainLines(lines: string): boolean {
  if (lines.startsWith("From ") || lines.includes("\nFrom ")) return false;
  let start = 0;
  for (;;) {
    const end = lines.indexOf("\r\n", start);
    if ((end === -1 ? lines.length : end) - start > LINE_CHARS_MAX) return false;
    if (end === -1) return true;
    start = end + 2;
  }
}

function bytesBeyondAscii(utf8: Buffer): number {
  let count = 0;
  for (let i = 0; i < utf8.length; i++) if (utf8[i]! > 0x7f) count++;
  return count;
}

/** In lines of 76 characters (RFC 2045 section 6.8). */
function base64(bytes: Buffer): Buffer {
  const lines: string[] = [];
  for (let i = 0; i < bytes.length; i += BASE64_LINE_BYTES) {
    lines.push(bytes.toString("base64", i, i + BASE64_LINE_BYTES));
  }
  return Buffer.from(lines.join("\r\n"), "latin1");
}
