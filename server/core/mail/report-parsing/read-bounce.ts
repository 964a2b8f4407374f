import { type ParsedMessage, readFields } from "#server/core/shared/mime/parse-message.ts";
import { deriveDsn } from "#server/core/sending/outbox/recipient-failure.ts";

import { bareAddress, readEnclosedHeader } from "./internal/read-enclosed-header.ts";
import { readPlainBounce } from "./internal/read-plain-bounce.ts";

/** A parsed bounce: the recipients with permanent failures. */
export type Bounce = {
  failures: Failure[];
  /** Addresses that the message reached before it failed, according to its returned header. */
  trace: string[];
};

export type Failure = {
  /** The original and the final recipient address. */
  addresses: string[];
  /** RFC 3463: `5.x.x`, or `4.x.x` if the server gave up retrying. */
  dsn: string;
  /** The reply of the server that rejected the message, or that reports it. */
  message: string;
};

const RECIPIENTS_MAX = 100;
const STATUS_PART = /^message\/(global-)?delivery-status$/;

/**
 * Parses a bounce: a delivery status notification (RFC 3464), or an older unambiguous format. Null for all other
 * messages. A notice of delay or success has no failures.
 */
export function readBounce(parsed: ParsedMessage): Bounce | null {
  const status = parsed.parts.find(({ type }) => STATUS_PART.test(type));
  if (!status) return readPlainBounce(parsed);
  const groups = status.content
    .toString("utf8")
    .trimStart()
    .split(/(?:\r?\n[ \t]*){2,}/, RECIPIENTS_MAX + 1);
  return {
    failures: groups.flatMap((fields) => readFailure(readFields(fields)) ?? []),
    trace: readTrace(readEnclosedHeader(parsed.parts)),
  };
}

/** The action takes precedence: a server that gives up after days often reports its last soft code. */
function readFailure(fields: Map<string, string[]>): Failure | null {
  if (!/^failed\b/i.test(fields.get("action")?.[0] ?? "")) return null;
  const names = ["original-recipient", "final-recipient"];
  const message = (fields.get("diagnostic-code")?.[0] ?? "").replace(/^\s*[a-z0-9-]+\s*;\s*/i, "");
  const status = /^[45]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get("status")?.[0] ?? "")?.[0];
  return {
    addresses: names.flatMap((name) => (fields.get(name) ?? []).map(bareAddress)),
    dsn: status ?? deriveDsn(message),
    message,
  };
}

const TRACE_MAX = 50;

/** `Received: … for <ann@example.com>` and the fields in which servers record the delivery address. */
function readTrace(header: Map<string, string[]>): string[] {
  const of = (name: string) => header.get(name) ?? [];
  const received = of("received").flatMap(
    (hop) => /\sfor\s+<([^<>\s]{1,320})>/i.exec(hop)?.[1] ?? [],
  );
  return [...of("delivered-to"), ...of("x-original-to"), ...of("envelope-to")]
    .map(bareAddress)
    .concat(received)
    .slice(0, TRACE_MAX);
}
