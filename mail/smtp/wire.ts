import { connect as connectSocket, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";

import { MalformedReply, type Reply, ReplyReader } from "./reply.ts";
import { type TlsFailure, certificateFailure } from "./tls.ts";

/** Content up to this size goes out in one write; more is written in blocks, each with its own timeout. */
const BLOCK_BYTES = 256 * 1024;

/** The connection failed, broke or timed out. */
export class WireError extends Error {
  override name = "WireError";
  readonly dsn: string;
  /** Why TLS failed, for 4.7.5. */
  readonly tlsFailure: TlsFailure | undefined;
  /** Address of this machine, for 4.7.5. */
  localAddress: string | null = null;

  constructor(dsn: "4.4.1" | "4.4.2" | "4.5.0" | "4.7.5", message: string, why?: TlsFailure) {
    super(message);
    this.dsn = dsn;
    this.tlsFailure = why;
  }
}

type Waiting = { resolve: (reply: Reply) => void; reject: (error: WireError) => void };

/** One connection, on which replies arrive in the order of the commands. */
export class Wire {
  #socket: Socket;
  #reader = new ReplyReader();
  #replies: Reply[] = [];
  #waiting: Waiting | null = null;
  #lost: WireError | null = null;
  #onLost: () => void = () => undefined;
  #detach: () => unknown = () => undefined;
  readonly peer: string;
  /** Address of this machine; null for a Unix socket. */
  readonly localAddress: string | null;
  /** Address of the server; null for a Unix socket. */
  readonly remoteAddress: string | null;

  private constructor(socket: Socket, peer: string) {
    this.#socket = socket;
    this.peer = peer;
    this.localAddress = socket.localAddress ?? null;
    this.remoteAddress = socket.remoteAddress ?? null;
    this.#attach(socket);
  }

  /** @throws WireError if there is no connection within `timeoutMs` */
  static async connect(
    target: { host: string; port: number; localAddress?: string | undefined } | { path: string },
    { peer, timeoutMs }: { peer: string; timeoutMs: number },
  ): Promise<Wire> {
    const socket = connectSocket({ ...target, noDelay: true });
    await waitForEvent(socket, "connect", {
      timeoutMs,
      fail: (why) => new WireError("4.4.1", `Could not connect to ${peer}: ${why}`),
    });
    return new Wire(socket, peer);
  }

  /** The connection is up and has no unsolicited reply, so it can carry another message. */
  get isReady(): boolean {
    return !this.#lost && this.#replies.length === 0;
  }

  /** Called when the connection breaks, or the server sends something, while no reply is awaited. */
  onUnexpected(callback: () => void) {
    this.#onLost = callback;
  }

  /** Writes all pieces at once. */
  write(...pieces: (string | Buffer)[]) {
    if (this.#lost) return;
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }

  /**
   * Writes as fast as the other side reads. A broken connection shows at the next reply.
   *
   * @param blockMs the time for the next block
   * @returns whether the last block was written, so that the other side may have it all
   */
  async writeLarge(pieces: Buffer[], blockMs: () => number): Promise<boolean> {
    let isLast = false;
    for (const [nth, piece] of pieces.entries())
      for (let at = 0; at < piece.length && !this.#lost; at += BLOCK_BYTES) {
        isLast = nth === pieces.length - 1 && at + BLOCK_BYTES >= piece.length;
        await this.#writeBlock(piece.subarray(at, at + BLOCK_BYTES), blockMs());
      }
    return isLast;
  }

  #writeBlock(block: Buffer, blockMs: number): Promise<void> {
    if (this.#lost) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#lose(lost(`${this.peer} stopped reading the message`)),
        blockMs,
      );
      // Also called, with an error, when the socket is destroyed.
      this.#socket.write(block, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /**
   * Resolves with the next reply.
   *
   * @throws WireError if the connection is lost or times out
   */
  async reply(timeoutMs: number): Promise<Reply> {
    const ready = this.#replies.shift();
    if (ready) return ready;
    if (this.#lost) throw this.#lost;
    const timer = setTimeout(
      () => this.#lose(lost(`${this.peer} did not answer in time`)),
      timeoutMs,
    );
    try {
      return await new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
    } finally {
      this.#waiting = null;
      clearTimeout(timer);
    }
  }

  /**
   * Switches to TLS. Discards bytes that arrived in clear: they may have been injected to pass as a reply
   * under TLS.
   *
   * @throws WireError if the handshake fails
   */
  async startTls(options: ConnectionOptions, timeoutMs: number): Promise<TLSSocket> {
    if (this.#lost) throw this.tlsError(this.#lost.message, "validation-failure");
    const plain = this.#socket;
    this.#detach();
    this.#reader = new ReplyReader();
    this.#replies = [];
    const secure = connectTls({ ...options, socket: plain });
    try {
      await waitForEvent(secure, "secureConnect", {
        timeoutMs,
        fail: (why, error) => this.tlsError(why, certificateFailure(error)),
      });
    } catch (error) {
      plain.on("error", () => undefined);
      plain.destroy();
      throw error;
    }
    this.#socket = secure;
    this.#attach(secure);
    return secure;
  }

  tlsError(message: string, why: TlsFailure): WireError {
    const error = new WireError("4.7.5", `TLS with ${this.peer} failed: ${message}`, why);
    return Object.assign(error, { localAddress: this.localAddress });
  }

  /** Sends QUIT without waiting long for the reply. */
  quit(): Promise<void> {
    this.#onLost = () => undefined;
    if (this.#socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#socket.destroy(), 1000);
      this.#socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      this.#socket.end("QUIT\r\n");
    });
  }

  destroy() {
    this.#onLost = () => undefined;
    this.#socket.destroy();
  }

  #attach(socket: Socket) {
    const received = (chunk: Buffer) => this.#receive(chunk);
    const failed = (error: Error) =>
      this.#lose(lost(`Connection to ${this.peer} lost: ${describeSocketError(error)}`));
    const closed = () => this.#lose(lost(`${this.peer} closed the connection`));
    socket.on("data", received).on("error", failed).on("end", closed).on("close", closed);
    this.#detach = () =>
      socket.off("data", received).off("error", failed).off("end", closed).off("close", closed);
  }

  #receive(chunk: Buffer) {
    try {
      for (const reply of this.#reader.read(chunk)) {
        if (this.#waiting) this.#waiting.resolve(reply);
        else this.#replies.push(reply);
        this.#waiting = null;
      }
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
      this.#lose(new WireError("4.5.0", `${error.message} (${this.peer})`));
    }
    if (this.#replies.length > 0) this.#onLost();
  }

  #lose(error: WireError) {
    if (this.#lost) return;
    this.#lost = error;
    this.#socket.destroy();
    if (this.#waiting) this.#waiting.reject(error);
    else this.#onLost();
  }
}

const lost = (message: string) => new WireError("4.4.2", message);

type Options = { timeoutMs: number; fail: (why: string, error?: Error) => WireError };

/** Resolves when a new socket is ready to use. */
function waitForEvent(socket: Socket, event: string, { timeoutMs, fail }: Options): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: WireError) => {
      clearTimeout(timer);
      socket.removeListener("error", onError);
      socket.removeListener("close", onClose);
      if (!error) {
        resolve();
        return;
      }
      socket.on("error", () => undefined);
      socket.destroy();
      reject(error);
    };
    const onError = (error: Error) => finish(fail(describeSocketError(error), error));
    const onClose = () => finish(fail("the connection was closed"));
    const timer = setTimeout(() => finish(fail("no answer in time")), timeoutMs);
    socket.once(event, () => finish());
    socket.once("error", onError);
    socket.once("close", onClose);
  });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to its network",
  ETIMEDOUT: "no answer in time",
  EPIPE: "connection closed",
  EADDRNOTAVAIL: "this server doesn't have the address that it should send from",
  ENOENT: "no such socket",
};

/** Describes why a connection failed, in a few words. */
function describeSocketError(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message;
}
