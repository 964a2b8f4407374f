const CR = 13;
const LF = 10;
const DOT = 46;

/** What is wrong with the bytes of a message as they were on the wire, or null. */
export function findByteFault(wire: Buffer): string | null {
  let start = 0;
  while (start < wire.length) {
    const lf = wire.indexOf(LF, start);
    const cr = wire.indexOf(CR, start);
    if (lf === -1) return "the last line has no CRLF";
    if (cr === -1 || cr > lf) return `bare LF at byte ${lf}`;
    if (cr !== lf - 1) return `bare CR at byte ${cr}`;
    if (wire[start] === DOT && wire[start + 1] !== DOT) return `dot not stuffed at byte ${start}`;
    start = lf + 1;
  }
  return null;
}

/** Takes off the dot that the client put before every line that begins with one (RFC 5321 §4.5.2). */
export function unstuffDots(wire: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let start = wire[0] === DOT ? 1 : 0;
  for (;;) {
    const at = wire.indexOf("\r\n.", start);
    if (at === -1) break;
    pieces.push(wire.subarray(start, at + 2));
    start = at + 3;
  }
  return pieces.length === 0 && start === 0
    ? wire
    : Buffer.concat([...pieces, wire.subarray(start)]);
}

/** Collects the content of a message from the chunks it comes in, up to the line with one dot. */
export class ContentReader {
  #chunks: Buffer[] = [];
  /** The last bytes seen, so that an end cut in two is found. The first line follows a CRLF. */
  #tail = Buffer.from("\r\n");

  /** The content as it was on the wire and the bytes behind it, or null when more must come. */
  read(input: Buffer): { wire: Buffer; rest: Buffer } | null {
    const window = Buffer.concat([this.#tail, input]);
    const at = window.indexOf("\r\n.\r\n");
    if (at === -1) {
      this.#chunks.push(input);
      this.#tail = window.subarray(-4);
      return null;
    }
    const end = at + 5 - this.#tail.length;
    this.#chunks.push(input.subarray(0, end));
    const whole = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    return { wire: whole.subarray(0, -3), rest: input.subarray(end) };
  }
}
