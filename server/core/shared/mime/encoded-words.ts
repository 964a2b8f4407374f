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
