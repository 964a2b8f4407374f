const CR = 13;
const LF = 10;
const DOT = 46;
const END_OF_CONTENT = Buffer.from(".\r\n");
const LINE_END_AND_END = Buffer.from("\r\n.\r\n");
/** Above this, one copy costs less than many writes: a hostile message would be millions of pieces. */
const PIECES_MAX = 16;

/**
 * Whether the message contains a CR or LF that is not part of a CRLF. Such a message is never sent: servers
 * disagree on where its lines end, and so on where the message ends (SMTP smuggling).
 */
export function hasBareLineBreak(message: Buffer): boolean {
  let start = 0;
  for (;;) {
    const lf = message.indexOf(LF, start);
    const cr = message.indexOf(CR, start);
    if (lf === -1) return cr !== -1;
    if (cr === -1 || cr !== lf - 1) return true;
    start = lf + 1;
  }
}

/**
 * Encodes the message for DATA: dots at the start of a line doubled (RFC 5321 §4.5.2), a CRLF at the end,
 * and the final dot. Returns pieces, to avoid copying.
 */
export function encodeContent(message: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  // A piece ends after the dot that starts a line, and the next piece starts with that dot, so it is sent
  // twice.
  let start = 0;
  if (message[0] === DOT) pieces.push(message.subarray(0, 1));
  for (;;) {
    const at = message.indexOf("\r\n.", start);
    if (at === -1) break;
    if (pieces.length === PIECES_MAX) return [withDoubledDots(message), endOf(message)];
    pieces.push(message.subarray(start, at + 3));
    start = at + 2;
  }
  return [...pieces, message.subarray(start), endOf(message)];
}

const endOf = (message: Buffer): Buffer =>
  message.length > 0 && message.at(-1) !== LF ? LINE_END_AND_END : END_OF_CONTENT;

function withDoubledDots(message: Buffer): Buffer {
  // At most every third octet is such a dot.
  const doubled = Buffer.allocUnsafe(Math.ceil((message.length * 4) / 3) + 1);
  let length = 0;
  for (let at = 0; at < message.length; at++) {
    const octet = message[at]!;
    const startsLine = at === 0 || (message[at - 1] === LF && message[at - 2] === CR);
    if (octet === DOT && startsLine) doubled[length++] = DOT;
    doubled[length++] = octet;
  }
  return doubled.subarray(0, length);
}
