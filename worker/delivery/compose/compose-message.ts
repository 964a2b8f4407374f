import { hash } from "node:crypto";

import type { AddressHeaders } from "#drizzle/schema/emails.ts";

import { addressField } from "./address-field.ts";
import { encodeBody, type EncodedBody } from "./encode-body.ts";
import { customField, requireSingleLine, subjectField } from "./header-field.ts";
import { textFromHtmlOffLoop } from "./text-from-html-thread.ts";
import { textFromHtml } from "./text-from-html.ts";

/** A text part of more is made in a thread: this much takes the event loop some milliseconds at worst. */
const HTML_CHARS_ON_LOOP_MAX = 65_536;

export type ComposableEmail = {
  /** With angle brackets. */
  messageId: string;
  date: Date;
  /** What readers see. Blind copies are in the envelope only. */
  addressHeaders: AddressHeaders;
  subject: string;
  html: string | null;
  /** null: a text part is generated from html; "": no text part. */
  text: string | null;
  /** Checked before: allowed names, values on a single line. */
  headers: Record<string, string>;
};

/**
 * The email as RFC 5322 bytes, not yet signed: CRLF line ends only, no line over 998 octets, ASCII
 * throughout. The same email always gives the same bytes, so that another attempt resends the same
 * message. Throws when a header value holds a line end, which earlier checks refuse.
 */
export async function composeMessage(email: ComposableEmail): Promise<Buffer> {
  const head = headerFields(email);
  const parts = await bodyParts(email);
  return parts.length === 1
    ? singlePart(head, parts[0]!)
    : alternatives(head, parts, email.messageId);
}

type Part = { head: string; body: EncodedBody };

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

function rfc5322Date(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new Error("Not a date");
  return date.toUTCString().replace("GMT", "+0000");
}

/** The parts in the order of RFC 2046 section 5.1.4: plainest first. At least one. */
async function bodyParts({ html, text }: ComposableEmail): Promise<Part[]> {
  const plain = text ?? (html ? await generatedText(html) : "");
  if (!html) return [part("plain", plain)];
  return plain ? [part("plain", plain), part("html", html)] : [part("html", html)];
}

function generatedText(html: string): string | Promise<string> {
  return html.length > HTML_CHARS_ON_LOOP_MAX ? textFromHtmlOffLoop(html) : textFromHtml(html);
}

function part(subtype: "plain" | "html", content: string): Part {
  const body = encodeBody(content);
  const head =
    `Content-Type: text/${subtype}; charset=utf-8\r\n` +
    `Content-Transfer-Encoding: ${body.encoding}\r\n\r\n`;
  return { head, body };
}

function singlePart(head: string, { head: partHead, body }: Part): Buffer {
  const complete = body.bytes.length === 0 || body.bytes.subarray(-2).equals(CRLF);
  const chunks: Buffer[] = [Buffer.from(head + partHead, "latin1"), body.bytes];
  return Buffer.concat(complete ? chunks : [...chunks, CRLF]);
}

function alternatives(head: string, parts: Part[], messageId: string): Buffer {
  const boundary = boundaryFor(messageId, parts);
  const chunks: Buffer[] = [
    Buffer.from(
      `${head}Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`,
      "latin1",
    ),
  ];
  for (const { head: partHead, body } of parts) {
    chunks.push(Buffer.from(`--${boundary}\r\n${partHead}`, "latin1"), body.bytes, CRLF);
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`, "latin1"));
  return Buffer.concat(chunks);
}

/** Made from the Message-ID; another one in the case that a part contains it. */
function boundaryFor(messageId: string, parts: Part[]): string {
  for (let attempt = 0; ; attempt++) {
    const boundary = `=_${hash("sha256", `${messageId} ${attempt}`).slice(0, 32)}`;
    if (!parts.some(({ body }) => body.bytes.includes(boundary))) return boundary;
  }
}
