import type { Socket } from "node:net";

export type Life = {
  /** What a connection has anyway. */
  lifeMs: number;
  /** What it has to bring for more: the largest message takes over an hour on the slowest line we bear. */
  bytesPerSecondMin: number;
};

/** Time for the reply to a message to be sent before its connection may be closed. */
const REPLY_LEAVES_MS = 1_000;

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined };

/**
 * Closes long-lived connections that transfer too little: a byte a minute would hold a slot forever, while
 * a large message over a slow line is fine. Never closes a connection that waits for the reply to its
 * message, since the client would resend an accepted message.
 */
export class ConnectionLives {
  readonly #life: Life;
  /** Connections waiting for the reply to a message. */
  readonly #waiting = new Set<string>();

  constructor(life: Life) {
    this.#life = life;
  }

  limit(socket: Socket): void {
    const { lifeMs, bytesPerSecondMin } = this.#life;
    const startedAt = performance.now();
    const peer = keyOf(socket);
    const check = () => {
      if (socket.destroyed) return;
      const earnedMs = lifeMs + (socket.bytesRead / bytesPerSecondMin) * 1000;
      const leftMs = startedAt + earnedMs - performance.now();
      const isWaiting = this.#waiting.has(peer);
      if (leftMs <= 0 && !isWaiting) socket.destroy();
      else setTimeout(check, Math.max(Math.ceil(leftMs), isWaiting ? REPLY_LEAVES_MS : 1)).unref();
    };
    check();
  }

  /** Keeps the session's connection open while `work` produces the reply to its message. */
  async whileReplying<Result>(session: Peer, work: () => Promise<Result>): Promise<Result> {
    const peer = keyOf(session);
    this.#waiting.add(peer);
    try {
      return await work();
    } finally {
      setTimeout(() => this.#waiting.delete(peer), REPLY_LEAVES_MS).unref();
    }
  }
}

/** A session has an IPv4 address as such, the socket of an IPv6 listener as `::ffff:192.0.2.1`. */
const keyOf = ({ remoteAddress = "", remotePort }: Peer) =>
  `${remoteAddress.replace(/^::ffff:/, "")} ${remotePort}`;
