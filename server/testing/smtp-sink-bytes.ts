const CR = 13;
const LF = 10;
const DOT = 46;

/** The protocol error in the bytes of a message on the wire, or null. */
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

/** Removes dot-stuffing (RFC 5321 §4.5.2). */
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

/** Collects the content of a message from chunks, up to the final dot. */
export class ContentReader {
  #chunks: Buffer[] = [];
  /** The last bytes, to find an end that is split across chunks. The first line follows a CRLF. */
  #tail = Buffer.from("\r\n");

  /** The content as on the wire and the bytes after it, or null if it is incomplete. */
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
