import type { Cause } from "#server/core/sending/replies/causes.ts";
import { findCause } from "#server/core/sending/replies/explain-reply.ts";

/**
 * Why a server throttles this machine: too many connections, too much mail, or a poor reputation. `block`: it
 * rejects this machine with 5xx.
 */
export type Throttle = "connections" | "rate" | "reputation" | "block";

type Reply = { code: number; dsn: string; message: string };

const CODES = new Set([421, 450, 451, 452]);

const CAUSES: Partial<Record<Cause, Throttle>> = {
  rate_limited: "rate",
  blocklisted: "reputation",
  poor_reputation: "reputation",
  no_reverse_name: "reputation",
};

/** Microsoft's codes RP-002, RP-003 and 4.7.652, and other servers' wordings. */
const CONNECTIONS =
  /\brp-00[23]\b|\b4\.7\.652\b|too many (\S+ ){0,2}(connections|sessions)|(connection|session)s? limit|maximum (number of )?(\S+ )?(connections|sessions)|concurrent (\S+ )?(connections|sessions)|all server ports are busy/;
/** Yahoo's [TSS04] and [TS03], Microsoft's RP-001 and 4.7.500, and Google's 421 to a busy address. */
const RATE =
  /\[tss?\d+\]|\brp-001\b|\b4\.7\.500\b|excessive volume|try again later, closing connection|too (much|many) (mails?|messages|e-?mails?)/;

/** Limits of one connection, which a new connection doesn't have. */
const ONE_CONNECTION =
  /(per|in (one|this|a single)|for this|on this) (smtp )?(connection|session)|(max|maximum) messages? per/;
/** Limits of one company's domain, or of one recipient. */
const SOMEONE_ELSE =
  /\b(spf|dkim|url) domains?\b|(sender|from|sending|return.?path) (address|domain)|envelope sender|\b(user|recipient|mailbox|account)s?\b.{0,40}\b(receiving|contact|rate|volume)/;

/** Whether a temporary rejection asks this machine to slow down, and how; null if it doesn't. */
export function readThrottle({ code, dsn, message }: Reply): Throttle | null {
  if (!CODES.has(code)) return null;
  // Addresses can contain any word.
  const text = `${dsn} ${message}`.toLowerCase().replace(/\S+@\S+/g, "<>");
  if (ONE_CONNECTION.test(text) || SOMEONE_ELSE.test(text)) return null;
  if (CONNECTIONS.test(text)) return "connections";
  const cause = CAUSES[findCause({ dsn, message })] ?? null;
  if (cause === null && RATE.test(text)) return "rate";
  return cause;
}
