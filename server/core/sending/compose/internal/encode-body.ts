import { quotedPrintable } from "#server/core/shared/mime/quoted-printable.ts";

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
