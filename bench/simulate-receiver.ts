import { anSmtpSink } from "#server/testing/smtp-sink.ts";

type Kind = "gmail" | "outlook";
type Limits = { connections: number; perMinute: number; minuteMs: number };

/** As the two reply, and at which step. */
const KINDS = {
  gmail: {
    domain: "gmail.com",
    mailHost: "gmail-smtp-in.l.google.com",
    step: "DOT",
    connections: "421 4.7.0 Too many concurrent connections, try again later, closing connection.",
    rate: "421 4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
  },
  outlook: {
    domain: "outlook.com",
    mailHost: "outlook-com.olc.protection.outlook.com",
    step: "MAIL",
    connections:
      "451 4.7.652 The mail server has exceeded the maximum number of connections. (S3114)",
    rate: "451 4.7.650 The mail server has been temporarily rate limited due to IP reputation. (S775)",
  },
} as const;

const CONNECTION_FULL = "421 4.4.2 Maximum messages per connection reached, closing connection.";
const MESSAGES_PER_CONNECTION = 100;
/** Rejections within a minute after which everything is rejected for the rest of it and the next one. */
const PATIENCE = 50;
/** What such a minute leaves of the reputation, which is a part of the rate; how much a minute without it restores. */
const REPUTATION = { left: 0.7, restored: 0.05, min: 0.1 };

export type SimulatedReceiver = Awaited<ReturnType<typeof simulateReceiver>>;

/**
 * A mail server that limits connections, messages on each of them and messages per minute. A sender that keeps going after
 * many rejections is locked out for a while, and then has a poorer reputation: a lower rate.
 */
export async function simulateReceiver(kind: Kind, { connections, perMinute, minuteMs }: Limits) {
  const { domain, mailHost, step, connections: tooMany, rate: tooFast } = KINDS[kind];
  const counts = { accepted: 0, rejected: 0, refusedConnections: 0 };
  const minute = { number: 0, accepted: 0, rejected: 0 };
  const carried = new Map<number, number>();
  let reputation = 1;
  let lockedUntil = 0;

  const turn = () => {
    const number = Math.floor(performance.now() / minuteMs);
    const passed = number - minute.number;
    if (passed === 0) return number;
    reputation =
      minute.rejected >= PATIENCE
        ? Math.max(REPUTATION.min, reputation * REPUTATION.left)
        : Math.min(1, reputation + passed * REPUTATION.restored);
    Object.assign(minute, { number, accepted: 0, rejected: 0 });
    return number;
  };
  const isTooFast = () => {
    const number = turn();
    if (number >= lockedUntil && minute.accepted < perMinute * reputation) return false;
    counts.rejected++;
    if (++minute.rejected >= PATIENCE) lockedUntil = number + 2;
    return true;
  };
  const isConnectionFull = (session: number) => {
    const messages = (carried.get(session) ?? 0) + 1;
    carried.set(session, messages);
    if (messages <= MESSAGES_PER_CONNECTION) return false;
    counts.rejected++;
    return true;
  };
  const sink = await anSmtpSink({
    keep: false,
    replyDelayMs: 1,
    script: ({ verb, session }) => {
      if (verb === "CONNECT" && sink.connections.open > connections) {
        counts.refusedConnections++;
        return { reply: tooMany };
      }
      if (verb === "MAIL" && isConnectionFull(session)) return { reply: CONNECTION_FULL };
      if (verb === step && isTooFast()) return { reply: tooFast };
      if (verb === "DOT") {
        minute.accepted++;
        counts.accepted++;
      }
      return undefined;
    },
  });
  return {
    domain,
    mailHost,
    perMinute,
    port: sink.port,
    counts: () => ({ ...counts }),
    /** Forgets the sender. */
    reset() {
      Object.assign(counts, { accepted: 0, rejected: 0, refusedConnections: 0 });
      reputation = 1;
      lockedUntil = 0;
    },
    close: () => sink.close(),
  };
}
