import { type ParsedMessage, readFields } from "#server/core/incoming/parse-message.ts";

import { readPlainBounce } from "./read-plain-bounce.ts";
import { bareAddress } from "./read-complaint.ts";

/** The recipients that a bounce says an email could not be delivered to, for good. */
export type Bounce = { failures: Failure[] };

export type Failure = {
  /** The names that the report has for the recipient: as first given, as last tried. */
  addresses: string[];
  /** RFC 3463, `5.x.x`. */
  dsn: string;
  /** The reporting or the refusing server's words. */
  message: string;
};

const RECIPIENTS_MAX = 100;
const STATUS_PART = /^message\/(global-)?delivery-status$/;

/**
 * The bounce that a message is: a delivery status notification (RFC 3464), or a form without one that
 * says the same as plainly. Null for every other message; without failures when it only says that a
 * delivery takes longer, or succeeded.
 */
export function readBounce(parsed: ParsedMessage): Bounce | null {
  const status = parsed.parts.find(({ type }) => STATUS_PART.test(type));
  if (!status) return readPlainBounce(parsed);
  const groups = status.content
    .toString("utf8")
    .trimStart()
    .split(/(?:\r?\n[ \t]*){2,}/, RECIPIENTS_MAX + 1);
  return { failures: groups.flatMap((fields) => readFailure(readFields(fields)) ?? []) };
}

function readFailure(fields: Map<string, string[]>): Failure | null {
  const dsn = /^5\.\d{1,3}\.\d{1,3}\b/.exec(fields.get("status")?.[0] ?? "")?.[0];
  const hasFailed = /^failed\b/i.test(fields.get("action")?.[0] ?? "");
  if (!dsn || !hasFailed) return null;
  const names = ["original-recipient", "final-recipient"];
  return {
    addresses: names.flatMap((name) => (fields.get(name) ?? []).map(bareAddress)),
    dsn,
    message: (fields.get("diagnostic-code")?.[0] ?? "").replace(/^\s*[a-z0-9-]+\s*;\s*/i, ""),
  };
}
