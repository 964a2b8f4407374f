import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import type { SMTPServer, SMTPServerSession } from "smtp-server";

import type { Certificate } from "#server/core/platform/tls/certificate.ts";

import type { SmtpReply } from "./smtp-reply.ts";

export type LifetimeLimits = {
  /** Base lifetime. */
  lifetimeMs: number;
  /** Received bytes extend the lifetime at this rate. The largest message takes over an hour at the minimum. */
  bytesPerSecondMin: number;
};

/** Time for the reply to a message to be sent before its connection may be closed. */
const REPLY_SEND_MS = 1_000;

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined };

/**
 * Closes long-lived connections that transfer too little: a byte a minute would hold a slot forever, while
 * a large message over a slow line is fine. Never closes a connection that waits for the reply to its
 * message, since the client would resend an accepted message.
 */
export class ConnectionLifetimes {
  readonly #life: LifetimeLimits;
  /** Connections waiting for the reply to a message, and those that just got one. */
  readonly #waiting = new Set<string>();
  /** Sessions whose reply to a message is not sent yet. */
  readonly #unanswered = new Set<Peer>();

  constructor(life: LifetimeLimits) {
    this.#life = life;
  }

  limit(socket: Socket): void {
    const { lifetimeMs: lifeMs, bytesPerSecondMin } = this.#life;
    const startedAt = performance.now();
    const peer = connectionKey(socket);
    const check = () => {
      if (socket.destroyed) return;
      const earnedMs = lifeMs + (socket.bytesRead / bytesPerSecondMin) * 1000;
      const leftMs = startedAt + earnedMs - performance.now();
      const isWaiting = this.#waiting.has(peer);
      if (leftMs <= 0 && !isWaiting) socket.destroy();
      else setTimeout(check, Math.max(Math.ceil(leftMs), isWaiting ? REPLY_SEND_MS : 1)).unref();
    };
    check();
  }

  /** Keeps the session's connection open while `work` produces the reply to its message. */
  async whileReplying<Result>(session: Peer, work: () => Promise<Result>): Promise<Result> {
    const peer = connectionKey(session);
    this.#waiting.add(peer);
    this.#unanswered.add(session);
    try {
      return await work();
    } finally {
      // The reply is written in the same turn of the event loop.
      setImmediate(() => this.#unanswered.delete(session));
      setTimeout(() => this.#waiting.delete(peer), REPLY_SEND_MS).unref();
    }
  }

  /** Whether the session has sent a whole message and has no reply yet. */
  isReplying(session: Peer): boolean {
    return this.#unanswered.has(session);
  }
}

/** A session has an IPv4 address as such, the socket of an IPv6 listener as `::ffff:192.0.2.1`. */
const connectionKey = ({ remoteAddress = "", remotePort }: Peer) =>
  `${remoteAddress.replace(/^::ffff:/, "")} ${remotePort}`;

/**
 * How long a stop waits for replies to messages that were received. Dovecot and the other parts of the process
 * need the rest of the supervisor's limit. To be set as the server's `closeTimeout`.
 */
export const REPLIES_GRACE_MS = 25_000;

const CHECK_EVERY_MS = 20;
/** Clients that got their last reply may take this long to close the connection. */
const DISCONNECT_MS = 1_000;

/**
 * Stops an SMTP server: it accepts no more connections, and ends each session with a 421 as soon as it isn't
 * waiting for the reply to a whole message. Without that reply, the client would send the message again.
 */
export async function stopServer(
  server: SMTPServer,
  isReplying: (session: SMTPServerSession) => boolean,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const giveUpAt = performance.now() + REPLIES_GRACE_MS;
  while (server.connections.size > 0 && performance.now() < giveUpAt) {
    for (const connection of server.connections)
      if (!isReplying(connection.session))
        connection.send(421, "4.3.2 Shutting down, try again later", false);
    await Promise.race([closed, delay(CHECK_EVERY_MS)]);
  }
  await Promise.race([closed, delay(DISCONNECT_MS)]);
}

/** Closes a session's connection with a reply. */
export function closeSession(
  server: SMTPServer,
  session: SMTPServerSession,
  { responseCode, message }: SmtpReply,
): void {
  for (const connection of server.connections)
    if (connection.session === session) connection.send(responseCode, message, false);
}

/** TLS options for both listeners. */
export const tlsOptions = ({ certificate, key }: Certificate) => ({
  cert: certificate,
  key,
  minVersion: "TLSv1.2" as const,
});
