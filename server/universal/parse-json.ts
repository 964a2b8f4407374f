/** Deeper than any format that the appliance reads. */
const DEPTH_MAX = 64;
/** Five times as many as the largest batch has. */
const VALUES_MAX = 200_000;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [DIGIT_0, DIGIT_9] = [0x30, 0x39];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** JSON that takes far more time to parse than its length suggests. */
export class ComplexJson extends SyntaxError {
  override name = "ComplexJson";
}

/**
 * Parses untrusted JSON, unless that would take too long.
 *
 * @throws SyntaxError; ComplexJson as `requireSimpleJson`
 */
export function parseJson(text: string, limits?: { valuesMax: number }): unknown {
  requireSimpleJson(text, limits);
  return JSON.parse(text);
}

/**
 * Counts brackets and members, on which the time to parse JSON depends, in one pass. The numbers of a list don't count,
 * because a file can be given as a list of its bytes.
 *
 * @throws ComplexJson if it is nested too deeply or has too many values
 */
export function requireSimpleJson(text: string, { valuesMax = VALUES_MAX } = {}): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isOpening(code)) {
      values++;
      if (++depth > DEPTH_MAX)
        throw new ComplexJson(`is nested more than ${DEPTH_MAX} levels deep`);
    } else if (isClosing(code)) depth--;
    else if (code === QUOTE) at = endOfString(text, at);
    else if (endsValue(text, at, code)) values++;
  }
  if (values > valuesMax) throw new ComplexJson(`has more than ${valuesMax} values`);
}

const isOpening = (code: number) => code === OPEN_LIST || code === OPEN_OBJECT;
const isClosing = (code: number) => code === CLOSE_LIST || code === CLOSE_OBJECT;
function endsValue(text: string, at: number, code: number): boolean {
  if (code !== COMMA) return code === COLON;
  const before = text.charCodeAt(at - 1);
  return before < DIGIT_0 || before > DIGIT_9;
}

/** Longer strings are left to `indexOf`, which is faster but takes a while to start. */
const SHORT = 32;

/** The position of a string's closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (const near = at + SHORT; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (quote - slashes > at && text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** The bytes in a list of numbers; null if it has anything else. A plain loop for speed: there can be millions. */
export function readByteList(values: unknown[]): Uint8Array | null {
  const bytes = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== "number" || (value & 255) !== value) return null;
    bytes[i] = value;
  }
  return bytes;
}
