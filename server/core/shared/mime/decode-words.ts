/** RFC 2047 has 75 octets for a word; some write one for a whole subject. */
const WORD = String.raw`=\?([^?\s]{1,60})\?([bq])\?([^?]{0,2000})\?=`;
/** White space between two encoded words means nothing. */
const RUN = new RegExp(String.raw`${WORD}(?:\s+${WORD})*`, "gi");
const LENGTH_MAX = 20_000;

/**
 * A header field's text as a person reads it: encoded words decoded (RFC 2047), and bytes beyond
 * ASCII read as UTF-8 (RFC 6532). What cannot be decoded stays as it is.
 *
 * @param latin1 one character a byte
 */
export function decodeWords(latin1: string): string {
  const text = Buffer.from(latin1.slice(0, LENGTH_MAX), "latin1").toString();
  return text.replace(RUN, (run) => decodeRun(run) ?? run);
}

/** Neighbours of one charset are decoded as one: some writers cut a character in two. */
function decodeRun(run: string): string | null {
  const pieces: { charset: string; bytes: Buffer }[] = [];
  for (const [, name, encoding, data] of run.matchAll(new RegExp(WORD, "gi"))) {
    // RFC 2231, 5: a language may stand behind the charset.
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
