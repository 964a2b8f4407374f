const LINE_FEED = 10;
/** Far above what servers say (RFC 5321 allows 512 bytes a line); what is longer is an attack or no SMTP. */
const REPLY_BYTES_MAX = 65_536;

/** What a server said to one command (RFC 5321 §4.2). */
export type Reply = {
  code: number;
  /** Without the codes. */
  lines: string[];
};

/** Bytes that are no SMTP reply. */
export class MalformedReply extends Error {
  override name = "MalformedReply";
}

/** Makes replies of the bytes as they come in. */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);
  #lines: string[] = [];
  #bytes = 0;

  /**
   * The replies that are complete now.
   *
   * @throws MalformedReply behind those that came before it
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
    if (!code) throw new MalformedReply("The server answered with something that is not SMTP");
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
