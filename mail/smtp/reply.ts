const LINE_FEED = 10;
/** Far above real replies (RFC 5321 allows 512 bytes a line); anything longer is an attack or not SMTP. */
const REPLY_BYTES_MAX = 65_536;

/** A server's reply to one command (RFC 5321 §4.2). */
export type Reply = {
  code: number;
  /** Without the codes. */
  lines: string[];
};

export class MalformedReply extends Error {
  override name = "MalformedReply";
}

/** Parses replies from chunks of bytes. */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);
  #lines: string[] = [];
  #bytes = 0;

  /**
   * Yields the replies that are complete.
   *
   * @throws MalformedReply after the valid replies before it
   */
  *read(chunk: Buffer): Generator<Reply> {
    const input = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (;;) {
      const end = input.indexOf(LINE_FEED, start);
      if (end === -1) break;
      const reply = this.#takeLine(input.toString("utf8", start, end));
      start = end + 1;
      if (reply) yield reply;
    }
    this.#rest = input.subarray(start);
    if (this.#rest.length + this.#bytes > REPLY_BYTES_MAX)
      throw new MalformedReply(`The server sent a reply of more than ${REPLY_BYTES_MAX} bytes`);
  }

  #takeLine(line: string): Reply | null {
    const [, code, separator, text] = /^([2-5]\d\d)(?:([ -])(.*?))?\r?$/s.exec(line) ?? [];
    if (!code) throw new MalformedReply("The server's reply is not SMTP");
    this.#lines.push(text ?? "");
    this.#bytes += line.length;
    if (this.#bytes > REPLY_BYTES_MAX)
      throw new MalformedReply(`The server sent a reply of more than ${REPLY_BYTES_MAX} bytes`);
    if (separator === "-") return null;
    const reply = { code: Number(code), lines: this.#lines };
    this.#lines = [];
    this.#bytes = 0;
    return reply;
  }
}

export const isPositive = ({ code }: Reply): boolean => code >= 200 && code < 300;
