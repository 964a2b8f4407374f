import libqp from "libqp";

import { findField, type Part } from "./edit-parts.ts";

/** The decoded octets of a part; null for an unknown transfer encoding (RFC 2045, 6). */
export function decodedBody(part: Part): Buffer | null {
  switch (transferEncoding(part)) {
    case "":
    case "7bit":
    case "8bit":
    case "binary":
      return part.body;
    case "base64":
      return Buffer.from(part.body.toString("latin1"), "base64");
    case "quoted-printable":
      return libqp.decode(part.body);
    default:
      return null;
  }
}

/**
 * The decoded octets of a part, as mail apps read them: as they are if the encoding is unknown, or if "base64" is
 * plain text.
 */
export function decodeLeniently(part: Part): Buffer {
  const name = transferEncoding(part).replace(/[^a-z0-9]/g, "");
  if (name === "base64") return fromBase64(part.body);
  return name === "quotedprintable" ? libqp.decode(part.body) : part.body;
}

const CLEAN_BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}\s*$/;

/** Limits the work for content made of padding. */
const PIECES_MAX = 10_000;

/** A line of words, such as a mailing list's footer. */
const WORDS = /\S\s+\S/;

/** Skips what isn't base64, and decodes pieces that programs padded on their own. */
function fromBase64(body: Buffer): Buffer {
  const text = body.toString("latin1");
  if (CLEAN_BASE64.test(text)) return Buffer.from(text, "base64");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const worded = lines.filter((line) => WORDS.test(line)).length;
  if (WORDS.test(lines[0] ?? "") || worded * 2 > lines.length) return body;
  const coded = lines.filter(
    (line, at) =>
      !WORDS.test(line) || !(/[^A-Za-z0-9+/=\s]/.test(line) || /=\s*$/.test(lines[at - 1] ?? "=")),
  );
  const code = coded.join("").replace(/[^A-Za-z0-9+/=]+/g, "");
  const pieces = code.split(/=+/, PIECES_MAX);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64")));
}

/** In lower case; "" if missing. */
const transferEncoding = (part: Part): string =>
  findField(part, "content-transfer-encoding")
    .split(/[\s;(]/, 1)[0]!
    .toLowerCase();

const LINE_CHARS_MAX = 76;
const [TAB, LF, CR, SPACE, EQUALS, DOT, F] = [0x09, 0x0a, 0x0d, 0x20, 0x3d, 0x2e, 0x46];
const HEX = Buffer.from("0123456789ABCDEF");

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045 section 6.7). Also encodes a dot and the `F`
 * of `From ` at the start of a line, because relays and mbox files modify those, which would break the
 * signature.
 */
export function quotedPrintable(text: Buffer): Buffer {
  // Three bytes for each byte, and a soft break of three for every 72 of those.
  const out = Buffer.allocUnsafe(text.length * 3 + Math.ceil(text.length / 24) * 3 + 3);
  let length = 0;
  let column = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === CR && text[i + 1] === LF) {
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      i++;
      continue;
    }
    const encode = mustEncode(text, i, byte, column);
    const width = encode ? 3 : 1;
    // Leaves room for the `=` of a soft break.
    if (column + width > LINE_CHARS_MAX - 1) {
      out[length++] = EQUALS;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      if (byte === DOT || byte === F) {
        i--;
        continue;
      }
    }
    if (encode) {
      out[length++] = EQUALS;
      out[length++] = HEX[byte >> 4]!;
      out[length++] = HEX[byte & 15]!;
    } else {
      out[length++] = byte;
    }
    column += width;
  }
  return out.subarray(0, length);
}

function mustEncode(text: Buffer, i: number, byte: number, column: number): boolean {
  if (byte === SPACE || byte === TAB) return i + 1 === text.length || text[i + 1] === CR;
  if (byte < SPACE || byte > 0x7e || byte === EQUALS) return true;
  return column === 0 && (byte === DOT || (byte === F && startsFrom(text, i)));
}

const startsFrom = (text: Buffer, i: number): boolean =>
  text.toString("latin1", i, i + 5) === "From ";
