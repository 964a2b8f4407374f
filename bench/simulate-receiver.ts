import { anSmtpSink } from "#server/testing/smtp-sink.ts";

type Kind = "gmail" | "outlook";
type Limits = { connections: number; perMinute: number; minuteMs: number };

/** As the two reply, and at which step. */
const KINDS = {
  gmail: {
    ...{ domain: "gmail.com", mailHost: "gmail-smtp-in.l.google.com", step: "DOT" },
    connections: "421 4.7.0 Too many concurrent connections, try again later, closing connection.",
    rate: "421 4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
  },
  outlook: {
    ...{ domain: "outlook.com", mailHost: "outlook-com.olc.protection.outlook.com", step: "MAIL" },
    connections:
      "451 4.7.652 The mail server has exceeded the maximum number of connections. (S3114)",
    rate: "451 4.7.650 The mail server has been temporarily rate limited due to IP reputation. (S775)",
  },
} as const;

/** Rejections within a minute after which everything is rejected for the rest of it and the next one. */
const PATIENCE = 50;

/**
 * A mail host that limits connections and messages per minute. A sender that keeps going after many rejections is
 * locked out for a while.
 */
export async function simulateReceiver(kind: Kind, { connections, perMinute, minuteMs }: Limits) {
  const { domain, mailHost, step, connections: tooMany, rate: tooFast } = KINDS[kind];
  const counts = { accepted: 0, rejected: 0, refusedConnections: 0 };
  const minute = { number: 0, accepted: 0, rejected: 0 };
  let lockedUntil = 0;

  const turn = () => {
    const number = Math.floor(performance.now() / minuteMs);
    if (number !== minute.number) Object.assign(minute, { number, accepted: 0, rejected: 0 });
    return number;
  };
  const isTooFast = () => {
    const number = turn();
    if (number >= lockedUntil && minute.accepted < perMinute) return false;
    counts.rejected++;
    if (++minute.rejected >= PATIENCE) lockedUntil = number + 2;
    return true;
  };
  const sink = await anSmtpSink({
    keep: false,
    replyDelayMs: 1,
    script: ({ verb }) => {
      if (verb === "CONNECT" && sink.connections.open > connections) {
        counts.refusedConnections++;
        return { reply: tooMany };
      }
      if (verb === step && isTooFast()) return { reply: tooFast };
      if (verb === "DOT") {
        minute.accepted++;
        counts.accepted++;
      }
      return undefined;
    },
  });
  return {
    ...{ domain, mailHost, perMinute, port: sink.port },
    counts: () => counts,
    close: () => sink.close(),
  };
}
