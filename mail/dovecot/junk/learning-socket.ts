import { once } from "node:events";
import { chmod, mkdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

import type { Logger } from "pino";

import { learnSpam } from "#server/core/mail/spam/rspamd.ts";
import { db } from "#server/db/pool.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

import { LEARNING_FOLDER } from "./junk-scripts.ts";

const SCRIPT_VERSION = "VERSION\tscript\t";
const LF = 0x0a;

/** Version, flags, arguments and the empty line. */
const SCRIPT_LINES_MAX = 64;

/** Larger messages teach nothing more. */
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

const IDLE_TIMEOUT_MS = 10_000;

const KINDS = ["spam", "ham"] as const;

/**
 * Receives messages moved to and from Junk from Dovecot, over two sockets that only Dovecot's user can open. Replies
 * as soon as a message is read, so that mail apps do not wait for rspamd; failures to learn are ignored.
 *
 * @param baseFolder Dovecot's base_dir, which is emptied at each start of Dovecot
 * @returns a function that stops it
 */
export async function listenForLearning(
  baseFolder: string,
  { user, log }: { user: ServiceUser; log: Logger },
): Promise<() => void> {
  const folder = join(baseFolder, LEARNING_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  giveTo(user, folder);
  const queue = new LearningQueue({
    async learn(kind, content) {
      const learned = await learnSpam(db(), kind, content);
      log.debug({ kind, learned }, "a message was moved to or from Junk");
    },
    onProblem: (error) => log.warn({ err: error }, "rspamd did not learn a message"),
  });
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  for (const kind of KINDS) {
    // The client writes everything, closes its side, then reads the reply.
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
      socket.on("error", () => socket.destroy());
      void take(socket).then((content) => {
        if (content) queue.add(kind, content);
      });
    });
    const path = join(folder, kind);
    server.listen(path);
    await once(server, "listening");
    giveTo(user, path);
    await chmod(path, 0o600);
    servers.push(server);
  }
  return () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    queue.stop();
  };
}

/** The message that a script piped; null if it is too large or incomplete. */
async function take(socket: Socket): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of socket.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MESSAGE_BYTES_MAX) chunks.push(chunk);
    }
  } catch {
    return null;
  }
  // Always report success, so that the move does not fail.
  socket.end("+\n");
  return size <= MESSAGE_BYTES_MAX ? readScriptCall(Buffer.concat(chunks)) : null;
}

/**
 * Parses what Dovecot's program client sends to a script's socket (protocol `script`, version 4): header lines, an
 * empty line, the message.
 *
 * @returns the message; null if the input is malformed or has no message
 */
function readScriptCall(bytes: Buffer): Buffer | null {
  if (!bytes.subarray(0, SCRIPT_VERSION.length).equals(Buffer.from(SCRIPT_VERSION))) return null;
  let start = 0;
  for (let line = 0; line < SCRIPT_LINES_MAX; line++) {
    const end = bytes.indexOf(LF, start);
    if (end === -1) return null;
    if (end === start) return end + 1 < bytes.length ? bytes.subarray(end + 1) : null;
    start = end + 1;
  }
  return null;
}

type Kind = "spam" | "ham";

/** A mailbox user may move a thousand messages at once. Messages beyond the limits are not learned. */
const BYTES_MAX = 32 * 1024 * 1024;

const MESSAGES_MAX = 2_000;

/** Learns messages one at a time. In memory only, since nothing important is lost. */
export class LearningQueue {
  readonly #learn: (kind: Kind, content: Buffer) => Promise<void>;
  readonly #onProblem: (error: unknown) => void;
  #waiting: { kind: Kind; content: Buffer }[] = [];
  #bytes = 0;
  #isRunning = false;

  constructor({
    learn,
    onProblem,
  }: {
    learn: (kind: Kind, content: Buffer) => Promise<void>;
    /** Called once per failure: the rest of the queue is dropped. */
    onProblem: (error: unknown) => void;
  }) {
    this.#learn = learn;
    this.#onProblem = onProblem;
  }

  add(kind: Kind, content: Buffer): void {
    if (this.#waiting.length >= MESSAGES_MAX || this.#bytes + content.length > BYTES_MAX) return;
    this.#waiting.push({ kind, content });
    this.#bytes += content.length;
    if (!this.#isRunning) void this.#run();
  }

  stop(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#bytes -= next.content.length;
      try {
        await this.#learn(next.kind, next.content);
      } catch (error) {
        this.stop();
        this.#onProblem(error);
      }
    }
    this.#isRunning = false;
  }
}
