import { decodeLabeled, decodeText } from "./charsets.ts";

/** Leaves room for `Subject: ` or `Reply-To: ` on a line of 76 (RFC 2047 section 2). */
const ENCODED_WORD_CHARS_MAX = 66;

const PAYLOAD_CHARS_MAX = ENCODED_WORD_CHARS_MAX - "=?UTF-8?Q??=".length;
const PAYLOAD_BYTES_MAX = Math.floor(PAYLOAD_CHARS_MAX / 4) * 3;

/**
 * Characters that Q encoding can leave as they are anywhere, including phrases (RFC 2047 section 5, rule 3).
 */
const Q_LITERAL = /^[A-Za-z0-9!*+\-/]$/;

/**
 * Encodes text as RFC 2047 words in UTF-8, with Q or B, whichever is shorter. Words don't split code points.
 */
export function encodedWords(text: string): string[] {
  const wellFormed = text.toWellFormed();
  const q = qWords(wellFormed);
  const bPayloadChars = Math.ceil(Buffer.byteLength(wellFormed) / 3) * 4;
  const qPayloadChars = q.reduce((sum, payload) => sum + payload.length, 0);
  if (qPayloadChars <= bPayloadChars) return q.map((payload) => `=?UTF-8?Q?${payload}?=`);
  return bWords(wellFormed).map((payload) => `=?UTF-8?B?${payload}?=`);
}

function qWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const char of text) {
    const encoded = qEncoded(char);
    if (word.length + encoded.length > PAYLOAD_CHARS_MAX) {
      words.push(word);
      word = "";
    }
    word += encoded;
  }
  words.push(word);
  return words;
}

function qEncoded(char: string): string {
  if (char === " ") return "_";
  if (Q_LITERAL.test(char)) return char;
  let encoded = "";
  for (const byte of Buffer.from(char)) {
    encoded += `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

function bWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let bytes = 0;
  for (const char of text) {
    const charBytes = Buffer.byteLength(char);
    if (bytes + charBytes > PAYLOAD_BYTES_MAX) {
      words.push(word);
      word = "";
      bytes = 0;
    }
    word += char;
    bytes += charBytes;
  }
  words.push(word);
  return words.map((chars) => Buffer.from(chars).toString("base64"));
}

/** RFC 2047 allows 75 octets per word, but some programs encode a whole subject as one. */
const WORD = String.raw`=\?([^?\s]{1,60})\?([bq])\?([^?]{0,2000})\?=`;

/** White space between encoded words is ignored. */
const RUN = new RegExp(String.raw`${WORD}(?:\s*${WORD})*`, "gi");

const LENGTH_MAX = 20_000;

/**
 * Decodes text of a header field: encoded words (RFC 2047), and non-ASCII bytes like a body without a charset.
 *
 * Only for unstructured text, or for a part of a structured field that was parsed before: what words decode to is
 * never syntax (RFC 2047, 6.2).
 *
 * @param latin1 one character per byte
 */
export function decodeWords(latin1: string): string {
  const bytes = Buffer.from(latin1.slice(0, LENGTH_MAX), "latin1");
  const whole = latin1.length > LENGTH_MAX ? withoutCutCharacter(bytes) : bytes;
  return decodeText(whole, null).replace(RUN, decodeRun);
}

/** Without the last character, if it has several bytes in UTF-8. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end > 0 && bytes[end - 1]! >= 0xc0 ? end - 1 : end);
}

function decodeRun(run: string): string {
  const words = [...run.matchAll(new RegExp(WORD, "gi"))].map(([, name, encoding, data]) => ({
    // RFC 2231, 5: a language tag may follow the charset.
    charset: name!.split("*", 1)[0]!.toLowerCase(),
    bytes: encoding!.toLowerCase() === "b" ? Buffer.from(data!, "base64") : fromQ(data!),
  }));
  let text = "";
  for (let at = 0; at < words.length;) {
    const { charset } = words[at]!;
    const end = words.findIndex((word, place) => place > at && word.charset !== charset);
    const next = end === -1 ? words.length : end;
    text += decodeSame(
      charset,
      words.slice(at, next).map(({ bytes }) => bytes),
    );
    at = next;
  }
  return text;
}

/** Joins words of one charset only if one alone doesn't decode: some programs split a character between words. */
function decodeSame(charset: string, words: Buffer[]): string {
  const alone = words.map((bytes) => decodeLabeled(bytes, charset) ?? "\ufffd").join("");
  if (!alone.includes("\ufffd")) return alone;
  const joined = decodeText(Buffer.concat(words), charset);
  return countInvalid(joined) < countInvalid(alone) ? joined : alone;
}

const countInvalid = (text: string) => text.split("\ufffd").length;

function fromQ(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
