import { GIVE_UP_AFTER_SECONDS } from "#server/core/sending/outbox/retry-schedule.ts";

import type { OriginalMessage } from "./original-message.ts";
import type { RecipientResult } from "./recipient-result.ts";

/** RFC 3464, 2.3.3. */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

/** Where header lines are folded (RFC 5322, 2.1.1), and how much one field may have in all. */
const LINE_LENGTH = 76;
const VALUE_LENGTH_MAX = 900;

export function actionOf({ result, delivery }: RecipientResult): Action {
  if (result === "delivered") return delivery;
  return result === "bounced" ? "failed" : "delayed";
}

/** The status code of the class that the action has: who was tried in vain for two days has expired (RFC 3463, 4.4.7). */
export function statusOf({ result, dsn }: Pick<RecipientResult, "result" | "dsn">): string {
  const digit = { delivered: "2", delayed: "4", bounced: "5" }[result];
  if (result === "bounced" && dsn?.startsWith("4.")) return "5.4.7";
  return /^[245]\.\d{1,3}\.\d{1,3}$/.test(dsn ?? "") && dsn!.startsWith(digit)
    ? dsn!
    : `${digit}.0.0`;
}

/** The content of the message/delivery-status part: of the message first, then of each recipient. */
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
  const { recipient, originalRecipient, reply, result, host, createdAt } = settled;
  const until = new Date(Date.parse(createdAt) + GIVE_UP_AFTER_SECONDS * 1000);
  return [
    originalRecipient ? field("Original-Recipient", typed(originalRecipient)) : "",
    field("Final-Recipient", `rfc822; ${recipient}`),
    field("Action", actionOf(settled)),
    field("Status", statusOf(settled)),
    host && isName(host) ? field("Remote-MTA", `dns; ${host}`) : "",
    reply ? field("Diagnostic-Code", `${isSmtp(reply) ? "smtp" : "x-posthouse"}; ${reply}`) : "",
    field("Last-Attempt-Date", mailDate(now)),
    result === "delayed" ? field("Will-Retry-Until", mailDate(until)) : "",
  ];
}

/** Dovecot's socket has none. */
const isName = (host: string) => /^[\w.:-]+$/.test(host);

/** As a server says it; what begins otherwise are words of ours. */
const isSmtp = (reply: string) => /^[2-5]\d\d[ -]/.test(reply);

/** ORCPT names the kind of address before it (RFC 3461, 4.2). */
const typed = (address: string) =>
  /^[a-z0-9-]{1,20};/i.test(address) ? address.replace(/;\s*/, "; ") : `rfc822; ${address}`;

/** A field of ASCII on folded lines. Whoever wrote the value, it is one field: it has no line end of its own. */
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

/** On one line, and with a question mark for what is not ASCII. */
export const ascii = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[^\x20-\x7e]/gu, "?")
    .trim();

/** RFC 5322, 3.3. */
export const mailDate = (date: Date): string => date.toUTCString().replace("GMT", "+0000");
