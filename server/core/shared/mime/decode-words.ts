/** RFC 2047 allows 75 octets per word, but some programs encode a whole subject as one. */
const WORD = String.raw`=\?([^?\s]{1,60})\?([bq])\?([^?]{0,2000})\?=`;
/** White space between encoded words is ignored. */
const RUN = new RegExp(String.raw`${WORD}(?:\s+${WORD})*`, "gi");
const LENGTH_MAX = 20_000;

/**
 * Decodes a header field's text: encoded words (RFC 2047), and non-ASCII bytes as UTF-8 (RFC 6532). Text that
 * can't be decoded stays as it is.
 *
 * @param latin1 one character per byte
 */
export function decodeWords(latin1: string): string {
  const text = Buffer.from(latin1.slice(0, LENGTH_MAX), "latin1").toString();
  return text.replace(RUN, (run) => decodeRun(run) ?? run);
}

/**
 * Joins adjacent words of one charset before decoding, because some programs split a character between words.
 */
function decodeRun(run: string): string | null {
  const pieces: { charset: string; bytes: Buffer }[] = [];
  for (const [, name, encoding, data] of run.matchAll(new RegExp(WORD, "gi"))) {
    // RFC 2231, 5: a language tag may follow the charset.
    const charset = name!.split("*", 1)[0]!.toLowerCase();
    const bytes = encoding!.toLowerCase() === "b" ? Buffer.from(data!, "base64") : fromQ(data!);
    const last = pieces.at(-1);
    if (last?.charset === charset) last.bytes = Buffer.concat([last.bytes, bytes]);
    else pieces.push({ charset, bytes });
  }
  try {
    return pieces.map(({ charset, bytes }) => new TextDecoder(charset).decode(bytes)).join("");
  } catch {
    return null;
  }
}

function fromQ(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
