import { deriveDsn } from "#server/core/sending/outbox/recipient-failure.ts";
import { type ParsedMessage, readFieldLines } from "#server/core/shared/mime/parse-message.ts";

/** A parsed bounce: the recipients with permanent failures. */
export type Bounce = {
  failures: BouncedRecipient[];
  /** Addresses that the message reached before it failed, according to its returned header. */
  trace: string[];
};

export type BouncedRecipient = {
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
    failures: groups.flatMap((fields) => readFailure(readFieldLines(fields)) ?? []),
    trace: readTrace(readEnclosedHeader(parsed.parts)),
  };
}

/** The action takes precedence: a server that gives up after days often reports its last soft code. */
function readFailure(fields: Map<string, string[]>): BouncedRecipient | null {
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

/** A complaint in the Abuse Reporting Format (RFC 5965). */
export type Complaint = {
  /** Possible envelope senders of the reported email. */
  senders: string[];
  /** Recipients that complained, if the provider names them. */
  recipients: string[];
};

// Feedback types that are complaints (RFC 5965, 7.3), unlike `not-spam`.
const COMPLAINTS = new Set(["abuse", "fraud", "opt-out", "opt-out-list"]);

/** Parses a complaint; null for all other messages. */
export function readComplaint({ parts }: ParsedMessage): Complaint | null {
  const report = parts.find(({ type }) => type === "message/feedback-report");
  if (!report) return null;
  const fields = readFieldLines(report.content.toString("utf8"));
  if (!COMPLAINTS.has(fields.get("feedback-type")?.[0]?.toLowerCase() ?? "")) return null;
  const enclosed = readEnclosedHeader(parts);
  const addressesOf = (from: Map<string, string[]>, name: string) =>
    (from.get(name) ?? []).map(bareAddress);
  return {
    senders: [
      ...addressesOf(fields, "original-mail-from"),
      ...addressesOf(enclosed, "return-path"),
    ],
    recipients: [
      ...addressesOf(fields, "original-rcpt-to"),
      ...addressesOf(enclosed, "x-hmxmroriginalrecipient"),
    ],
  };
}

const TEXT_LENGTH_MAX = 64 * 1024;

/** An enhanced status code on its own or, in qmail's format, after `#`. */
const STATUS = /(?:^|[\s(#])([45]\.\d{1,3}\.\d{1,3})(?![\d.])/;

const QMAIL = /^Hi\. This is the qmail-send program at /m;

/**
 * Parses the unambiguous bounce formats that predate RFC 3464: Exim's, which names the recipients in a header field,
 * and qmail's QSBMF. Requires an enhanced status code in the text.
 */
function readPlainBounce({ headers, text }: ParsedMessage): Bounce | null {
  const words = text.slice(0, TEXT_LENGTH_MAX);
  const failed = headers.get("x-failed-recipients");
  if (failed) return { failures: eximFailures(failed.join(","), words), trace: [] };
  return QMAIL.test(words) ? { failures: qmailFailures(words), trace: [] } : null;
}

function eximFailures(addresses: string, text: string): BouncedRecipient[] {
  const line = text.split("\n").find((line) => STATUS.test(line));
  const dsn = line && STATUS.exec(line)?.[1];
  if (!dsn) return [];
  return addresses
    .split(",", RECIPIENTS_MAX)
    .map((address) => ({ addresses: [address.trim()], dsn, message: line.trim() }));
}

/** Each paragraph starts with a line `<ann@example.com>:`, followed by the reason. */
function qmailFailures(text: string): BouncedRecipient[] {
  return text
    .split(/\n[ \t\r]*\n/)
    .slice(0, RECIPIENTS_MAX)
    .flatMap((paragraph) => {
      const [first = "", ...reason] = paragraph.trim().split(/\r?\n/);
      const address = /^<([^<>\s]+)>:$/.exec(first)?.[1];
      const message = reason.join(" ");
      const dsn = STATUS.exec(message)?.[1];
      return address && dsn ? [{ addresses: [address], dsn, message }] : [];
    });
}

const HEADER_BYTES_MAX = 64 * 1024;

/** The header of the message enclosed in a report. */
function readEnclosedHeader(parts: ParsedMessage["parts"]): Map<string, string[]> {
  const enclosed = parts.find(({ type }) => ENCLOSED.has(type));
  const text = enclosed?.content.subarray(0, HEADER_BYTES_MAX).toString("utf8") ?? "";
  return readFieldLines(text.trimStart().split(/\r?\n\r?\n/, 1)[0]!);
}

const ENCLOSED = new Set(["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"]);

/** The bare address in `<ann@example.com>` or `rfc822; ann@example.com`. */
const bareAddress = (text: string): string =>
  text
    .replace(/^[a-z0-9-]+;/i, "")
    .trim()
    .replace(/^<(.*)>$/, "$1");
