import { decodeLabeled, decodeText } from "./charsets.ts";

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
