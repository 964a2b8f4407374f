import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";
import { connect as connectTls } from "node:tls";

/**
 * Runs an SMTP dialog with a server on loopback, described by a text with one step per line:
 *
 *     # comment
 *     S: 250        the last line of the next reply starts with "250"
 *     S+ 250-SIZE   the same reply has a line that starts with "250-SIZE"
 *     S- 250-AUTH   the same reply has no line that starts with "250-AUTH"
 *     C: NOOP       sends a line
 *     C\ a\nb       sends bytes; \r \n \0 and \\ are escapes
 *     TLS           performs the TLS handshake
 *     END           waits until the server closes the connection
 *
 * @param values for `{name}` in the text
 * @throws Error with the transcript if the server replies differently
 */
export async function smtpDialog(
  port: number,
  text: string,
  values: Record<string, string> = {},
): Promise<void> {
  const talk = new Talk(createConnection(port, "127.0.0.1"));
  try {
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      await talk.step(line.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole));
    }
  } finally {
    talk.end();
  }
}

const ANSWER_TIMEOUT_MS = 10_000;
const ESCAPES: Record<string, string> = { r: "\r", n: "\n", 0: "\0", "\\": "\\" };

class Talk {
  #socket: Socket;
  #lines: AsyncIterator<string>;
  #reader: Interface;
  #reply: string[] = [];
  readonly #transcript: string[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    [this.#reader, this.#lines] = linesOf(socket);
  }

  async step(line: string): Promise<void> {
    this.#transcript.push(line);
    const rest = line.slice(3);
    if (line.startsWith("C: ")) this.#socket.write(`${rest}\r\n`, "latin1");
    else if (line.startsWith("C\\ "))
      // Flush before the next step, so that chunks stay separate on the wire.
      await new Promise((resolve) =>
        this.#socket.write(
          rest.replace(/\\([rn0\\])/g, (_, name: string) => ESCAPES[name]!),
          "latin1",
          resolve,
        ),
      );
    else if (line.startsWith("S: ")) await this.#expectReply(rest);
    else if (line.startsWith("S+ ")) this.#require(this.#reply.some((one) => one.startsWith(rest)));
    else if (line.startsWith("S- "))
      this.#require(!this.#reply.some((one) => one.startsWith(rest)));
    else if (line === "TLS") await this.#startTls();
    else if (line === "END") this.#require((await this.#nextLine()) === null);
    else throw new Error(`Not a step of a dialog: ${line}`);
  }

  end(): void {
    this.#reader.close();
    this.#socket.destroy();
  }

  async #expectReply(start: string): Promise<void> {
    this.#reply = [];
    for (;;) {
      const line = await this.#nextLine();
      if (line === null) throw this.#mismatch("the connection ended");
      this.#transcript.push(`      ${line}`);
      this.#reply.push(line);
      if (!/^\d{3}-/.test(line)) break;
    }
    this.#require(this.#reply.at(-1)!.startsWith(start));
  }

  /** Null if the server closed the connection. */
  async #nextLine(): Promise<string | null> {
    const timer = setTimeout(() => this.#socket.destroy(), ANSWER_TIMEOUT_MS);
    try {
      const next = await this.#lines.next();
      return next.done ? null : next.value;
    } finally {
      clearTimeout(timer);
    }
  }

  async #startTls(): Promise<void> {
    this.#reader.close();
    this.#socket.removeAllListeners("data");
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secure, "secureConnect");
    this.#socket = secure;
    [this.#reader, this.#lines] = linesOf(secure);
  }

  #require(isSo: boolean): void {
    if (!isSo) throw this.#mismatch("the last line is not so");
  }

  #mismatch(why: string): Error {
    return new Error(`${why}:\n${this.#transcript.join("\n")}`);
  }
}

function linesOf(socket: Socket): [Interface, AsyncIterator<string>] {
  // A broken connection shows as the end of its lines.
  socket.on("error", () => {});
  const reader = createInterface({ input: socket });
  return [reader, reader[Symbol.asyncIterator]()];
}
