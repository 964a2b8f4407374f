import type { ParsedMessage } from "#server/core/shared/mime/parse-message.ts";

import type { Bounce, Failure } from "#server/core/mail/report-parsing/read-bounce.ts";

const TEXT_LENGTH_MAX = 64 * 1024;
const RECIPIENTS_MAX = 100;
/** An enhanced status code on its own or, in qmail's format, after `#`. */
const STATUS = /(?:^|[\s(#])([45]\.\d{1,3}\.\d{1,3})(?![\d.])/;
const QMAIL = /^Hi\. This is the qmail-send program at /m;

/**
 * Parses the unambiguous bounce formats that predate RFC 3464: Exim's, which names the recipients in a header field,
 * and qmail's QSBMF. Requires an enhanced status code in the text.
 */
export function readPlainBounce({ headers, text }: ParsedMessage): Bounce | null {
  const words = text.slice(0, TEXT_LENGTH_MAX);
  const failed = headers.get("x-failed-recipients");
  if (failed) return { failures: eximFailures(failed.join(","), words), trace: [] };
  return QMAIL.test(words) ? { failures: qmailFailures(words), trace: [] } : null;
}

function eximFailures(addresses: string, text: string): Failure[] {
  const line = text.split("\n").find((line) => STATUS.test(line));
  const dsn = line && STATUS.exec(line)?.[1];
  if (!dsn) return [];
  return addresses
    .split(",", RECIPIENTS_MAX)
    .map((address) => ({ addresses: [address.trim()], dsn, message: line.trim() }));
}

/** Each paragraph starts with a line `<ann@example.com>:`, followed by the reason. */
function qmailFailures(text: string): Failure[] {
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
