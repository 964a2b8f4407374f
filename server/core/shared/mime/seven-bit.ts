import { isAscii, isUtf8 } from "node:buffer";

import { decodedBody, quotedPrintable } from "./transfer-encoding.ts";
import { headerEnd } from "./header-fields.ts";

import { asciiHeader } from "./internal/ascii-header.ts";
import { editParts, findField, mediaType, parameter, type Part, withFields } from "./edit-parts.ts";

/** RFC 5322, 2.1.1: without the CRLF. */
const LINE_OCTETS_MAX = 998;
const LF = 0x0a;

/**
 * Converts a message for a server that only takes ASCII (no 8BITMIME, RFC 6152; no SMTPUTF8, RFC 6531):
 * parts to quoted-printable or base64, header text to encoded words. The content stays the same; signatures
 * break.
 *
 * @returns null when it can't be converted: signed or encrypted parts, non-ASCII addresses, unknown
 *   transfer encodings
 */
export function toSevenBit(message: Buffer): Buffer | null {
  const converted = encodeParts(message, (body) => !isAscii(body) || hasLongLine(body));
  return isAscii(converted) ? converted : null;
}

/**
 * Shortens lines over 998 octets, which servers may cut or reject: encodes the parts that have some and
 * folds header lines. Parts that can't be encoded stay.
 */
export function withShortLines(message: Buffer): Buffer {
  return hasLongLine(message) ? encodeParts(message, hasLongLine, foldHeader) : message;
}

function encodeParts(
  message: Buffer,
  mustEncode: (body: Buffer) => boolean,
  fixHeader: (header: Buffer) => Buffer = asciiHeader,
): Buffer {
  const encoded = editParts(message, (part) => {
    const header = fixHeader(part.header);
    const fixed = header === part.header ? part : { ...part, header };
    const type = mediaType(fixed);
    if (type.startsWith("multipart/")) return labelled(fixed);
    if (!mustEncode(fixed.body)) return fixed;
    if (!/^message\/(?:rfc822|global)$/.test(type)) return encodePart(fixed, type);
    return labelled({ ...fixed, body: encodeParts(fixed.body, mustEncode, fixHeader) });
  });
  return encoded === message ? message : asMime(encoded);
}

/** A multipart with an 8bit part had to declare 8bit itself (RFC 2045, 6.4). */
function labelled(part: Part): Part {
  const isWrong = /^(?:8bit|binary)\b/i.test(findField(part, "content-transfer-encoding"));
  return isWrong && isAscii(part.body)
    ? { ...part, header: withFields(part.header, { "Content-Transfer-Encoding": "7bit" }) }
    : part;
}

function encodePart(part: Part, type: string): Part {
  const content = decodedBody(part);
  if (!content) return part;
  const isText = type.startsWith("text/");
  const encoded = isText ? quotedPrintable(content) : null;
  const inBase64 = !encoded || encoded.length > base64Length(content);
  return {
    header: withFields(part.header, {
      ...(isText && !isAscii(content) && parameter(part, "charset") === null
        ? { "Content-Type": withCharset(part, content) }
        : {}),
      "Content-Transfer-Encoding": inBase64 ? "base64" : "quoted-printable",
    }),
    body: inBase64 ? base64(content) : encoded,
  };
}

/** Without a charset, mail programs read encoded text as ASCII. */
function withCharset(part: Part, content: Buffer): string {
  const type = findField(part, "content-type").replace(/;\s*$/, "") || "text/plain";
  // RFC 1428.
  return `${type}; charset=${isUtf8(content) ? "utf-8" : "unknown-8bit"}`;
}

const base64Length = ({ length }: Buffer) => Math.ceil(length / 3) * 4;
const base64 = (content: Buffer) =>
  Buffer.from(content.toString("base64").replace(/.{76}(?=.)/g, "$&\r\n"), "latin1");

function asMime(message: Buffer): Buffer {
  const end = headerEnd(message);
  const header = message.subarray(0, end);
  if (findField({ header, body: message }, "mime-version") !== "") return message;
  return Buffer.concat([withFields(header, { "MIME-Version": "1.0" }), message.subarray(end)]);
}

function hasLongLine(octets: Buffer): boolean {
  for (let at = 0; at < octets.length;) {
    const lf = octets.indexOf(LF, at);
    const next = lf === -1 ? octets.length + 2 : lf + 1;
    if (next - at - 2 > LINE_OCTETS_MAX) return true;
    at = next;
  }
  return false;
}

/** Breaks long lines at their last space that fits. */
function foldHeader(header: Buffer): Buffer {
  if (!hasLongLine(header)) return header;
  const lines = header.toString("latin1").split("\r\n");
  return Buffer.from(lines.flatMap(foldLine).join("\r\n"), "latin1");
}

function foldLine(line: string): string[] {
  const folded: string[] = [];
  let rest = line;
  while (rest.length > LINE_OCTETS_MAX) {
    const at = rest.lastIndexOf(" ", LINE_OCTETS_MAX);
    // A folded line must not consist of white space only.
    if (at < 1 || rest.slice(0, at).trim() === "") break;
    folded.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...folded, rest];
}
