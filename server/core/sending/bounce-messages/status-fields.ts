import type { OriginalMessage } from "./original-message.ts";
import type { RecipientResult } from "./recipient-result.ts";

/** RFC 3464, 2.3.3. */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

/** Limits of lines (RFC 5322, 2.1.1) and of a field in total. */
const LINE_LENGTH = 76;
const VALUE_LENGTH_MAX = 900;

export function dsnAction({ result, delivery }: RecipientResult): Action {
  if (result === "delivered") return delivery === "transferred" ? "relayed" : delivery;
  return result === "bounced" ? "failed" : "delayed";
}

/** The status code, with the class of the action. After the last retry: expired (RFC 3463, 4.4.7). */
export function dsnStatus({ result, dsn }: Pick<RecipientResult, "result" | "dsn">): string {
  const digit = { delivered: "2", delayed: "4", bounced: "5" }[result];
  if (result === "bounced" && dsn?.startsWith("4.")) return "5.4.7";
  return /^[245]\.\d{1,3}\.\d{1,3}$/.test(dsn ?? "") && dsn!.startsWith(digit)
    ? dsn!
    : `${digit}.0.0`;
}

/** The content of the message/delivery-status part: per-message fields, then per-recipient fields. */
export function statusFields(
  hostname: string,
  message: OriginalMessage,
  recipients: RecipientResult[],
  now: Date,
): string {
  const whole = [
    field("Reporting-MTA", `dns; ${hostname}`),
    message.envelopeId ? field("Original-Envelope-Id", message.envelopeId) : "",
    field("Arrival-Date", mailDate(new Date(message.createdAt))),
  ];
  return [whole, ...recipients.map((recipient) => recipientFields(recipient, now))]
    .map((fields) => fields.join(""))
    .join("\r\n");
}

function recipientFields(settled: RecipientResult, now: Date): string[] {
  const { recipient, originalRecipient, reply, host, giveUpAt } = settled;
  return [
    originalRecipient ? field("Original-Recipient", typed(originalRecipient)) : "",
    field("Final-Recipient", `rfc822; ${recipient}`),
    field("Action", dsnAction(settled)),
    field("Status", dsnStatus(settled)),
    host && isName(host) ? field("Remote-MTA", `dns; ${host}`) : "",
    reply ? field("Diagnostic-Code", `${isSmtp(reply) ? "smtp" : "x-posthouse"}; ${reply}`) : "",
    field("Last-Attempt-Date", mailDate(now)),
    giveUpAt ? field("Will-Retry-Until", mailDate(new Date(giveUpAt))) : "",
  ];
}

/** Dovecot's socket has no hostname. */
const isName = (host: string) => /^[\w.:-]+$/.test(host);

/** A server's reply starts with its code; other texts are our own. */
const isSmtp = (reply: string) => /^[2-5]\d\d[ -]/.test(reply);

/** ORCPT has an address type prefix (RFC 3461, 4.2). */
const typed = (address: string) =>
  /^[a-z0-9-]{1,20};/i.test(address) ? address.replace(/;\s*/, "; ") : `rfc822; ${address}`;

/** An ASCII field on folded lines. Line ends in the value are removed, so it can't inject fields. */
export function field(name: string, value: string): string {
  const words = ascii(value).slice(0, VALUE_LENGTH_MAX).split(" ");
  const lines = [`${name}:`];
  for (const word of words) {
    const line = lines.at(-1)!;
    const isFull = line.length + 1 + word.length > LINE_LENGTH && lines.length + line.length > 1;
    if (isFull && !line.endsWith(":")) lines.push(` ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** On one line, non-ASCII replaced by question marks. */
export const ascii = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[^\x20-\x7e]/gu, "?")
    .trim();

/** RFC 5322, 3.3. */
export const mailDate = (date: Date): string => date.toUTCString().replace("GMT", "+0000");
