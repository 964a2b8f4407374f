import { isAscii } from "node:buffer";

import { v7 } from "uuid";

import { config } from "#server/config.ts";
import { FAILURES_MAX } from "#server/core/sending/messages/messages.ts";
import { plainText } from "#server/core/shared/text.ts";

import { explainStatus } from "./explain-status.ts";
import type { OriginalMessage, RecipientResult } from "./recipient-result.ts";

/** The part of the original message that is returned. */
export type ReturnedContent = { content: Buffer; isWhole: boolean };

export type Dsn = {
  hostname: string;
  message: OriginalMessage;
  /** At least one; all with the same result. */
  recipients: RecipientResult[];
  /** Recipients of the bounce message, as bare addresses. */
  to: string[];
  returned: ReturnedContent | null;
  now: Date;
};

/**
 * Marks the bounce message of a failed forward. Dovecot files it in the inbox before running the mailbox's
 * rules, which would forward it to the same address. Removed from all incoming mail.
 */
export const RETURNED_FIELD = "X-Posthouse-Returned";

const SUBJECTS = {
  failed: "Not delivered",
  delayed: "Not delivered yet",
  delivered: "Delivered",
  relayed: "Delivered",
  expanded: "Delivered",
};

export const dsnHeader = ({ hostname, recipients }: Dsn) => {
  const [first] = recipients as [RecipientResult, ...RecipientResult[]];
  const whom = recipients.length === 1 ? first.recipient : `${recipients.length} recipients`;
  return {
    from: `Mail delivery <postmaster@${hostname}>`,
    subject: ascii(`${subjectPrefix(first)}: ${whom}`).slice(0, 300),
    messageId: `<${v7()}@${hostname}>`,
  };
};

const subjectPrefix = (settled: RecipientResult) =>
  settled.isSuspended ? "Forwarding suspended" : SUBJECTS[dsnAction(settled)];

/**
 * Composes a delivery status notification (RFC 3464) as multipart/report (RFC 6522): readable text,
 * machine-readable fields and the original. Header and structure are safe from injected content: server
 * replies are folded into one line, and the boundary is random.
 *
 * @returns the message with CRLF line ends
 */
export function composeDsn(report: Dsn, header: ReturnType<typeof dsnHeader>): Buffer {
  const { hostname, message, recipients, to, returned, now } = report;
  const boundary = `=_${v7()}`;
  const parts = [
    textPart(dsnText(report)),
    partOf("message/delivery-status", statusFields(hostname, message, recipients, now)),
    ...(returned ? [returnedPart(returned)] : []),
  ];
  const is8Bit = !parts.every((part) => isAscii(part));
  const head = [
    message.origin === "forward" ? field(RETURNED_FIELD, "yes") : "",
    field("From", header.from),
    field("To", to.map((address) => `<${address}>`).join(", ")),
    field("Subject", header.subject),
    field("Date", mailDate(now)),
    field("Message-ID", header.messageId),
    ...threadFields(message.messageId),
    field("Auto-Submitted", "auto-replied"),
    "MIME-Version: 1.0\r\n",
    `Content-Type: multipart/report; report-type=delivery-status;\r\n boundary="${boundary}"\r\n`,
    is8Bit ? "Content-Transfer-Encoding: 8bit\r\n" : "",
    "\r\n",
  ].join("");
  const opened = parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, CRLF]);
  return Buffer.concat([Buffer.from(head), ...opened, Buffer.from(`--${boundary}--\r\n`)]);
}

const CRLF = Buffer.from("\r\n");

/** Threads the bounce with its message in mail apps. */
function threadFields(messageId: string | null): string[] {
  if (!messageId || !/^<[\x21-\x3b\x3d\x3f-\x7e]{3,250}>$/.test(messageId)) return [];
  return [field("In-Reply-To", messageId), field("References", messageId)];
}

function textPart(text: string): Buffer {
  if (isAscii(Buffer.from(text))) return partOf("text/plain; charset=utf-8", text);
  const base64 = Buffer.from(text)
    .toString("base64")
    .replace(/.{76}(?=.)/g, "$&\r\n");
  return partOf("text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64", `${base64}\r\n`);
}

function returnedPart({ content, isWhole }: ReturnedContent): Buffer {
  const type = isWhole ? "message/rfc822" : "text/rfc822-headers; charset=utf-8";
  const encoding = isAscii(content) ? "" : "\r\nContent-Transfer-Encoding: 8bit";
  return partOf(type + encoding, content);
}

const partOf = (type: string, content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), Buffer.from(content)]);

/** RFC 3464, 2.3.3. */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

/** Limits of lines (RFC 5322, 2.1.1) and of a field in total. */
const LINE_LENGTH = 76;

const VALUE_LENGTH_MAX = 900;

function dsnAction({ result, delivery }: RecipientResult): Action {
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
function statusFields(
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
const ascii = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[^\x20-\x7e]/gu, "?")
    .trim();

/** RFC 5322, 3.3. */
export const mailDate = (date: Date): string => date.toUTCString().replace("GMT", "+0000");

const WIDTH = 72;
const INDENT = "  ";
const SUBJECT_LENGTH_MAX = 200;
const WORDS_LENGTH_MAX = 500;

/** The readable part of a bounce message, with CRLF. All recipients have the same result. */
function dsnText({ hostname, message, recipients, returned }: Dsn): string {
  const [first] = recipients as [RecipientResult];
  const subject = plainText(message.subject, SUBJECT_LENGTH_MAX);
  const sentAt = mailDate(new Date(message.createdAt));
  const paragraphs = [
    `${describeMessage(message)} ${describeResult(message, first.result)}`,
    [subject && `Subject: ${subject}`, `${isReturned(message) ? "Received" : "Sent"}: ${sentAt}`]
      .filter(Boolean)
      .map((line) => INDENT + line)
      .join("\r\n"),
    ...recipients.map(recipientLines),
    recipients.some(({ isSuspended }) => isSuspended) ? suspensionNotice() : "",
    returned?.isWhole && isReturned(message) ? "The original message is attached." : "",
    retryNotice(first),
    `This report was generated by the mail server ${hostname}.`,
  ];
  return `${paragraphs.filter(Boolean).map(wrap).join("\r\n\r\n")}\r\n`;
}

const isReturned = ({ origin }: OriginalMessage) => origin === "forward" || origin === "group";

function describeMessage({ origin, groupAddress }: OriginalMessage): string {
  if (origin === "group") return `A message to the group ${groupAddress}`;
  return origin === "forward" ? "A message forwarded from your mailbox" : "Your message";
}

const describeResult = ({ origin }: OriginalMessage, result: RecipientResult["result"]) =>
  origin === "group"
    ? "could not be delivered to any of its members. You're receiving this report because you moderate the group or own the company."
    : RESULT_TEXTS[result];

const RESULT_TEXTS = {
  bounced: "could not be delivered to the addresses below. Delivery will not be retried.",
  delayed: "has not been delivered to the addresses below yet. No action is needed.",
  delivered: "was delivered to the addresses below.",
};

const suspensionNotice = () =>
  `Forwarding to this address is suspended because ${FAILURES_MAX} messages in a row could not be delivered. New messages stay in your mailbox. Resume forwarding at ${config().baseUrl}/account/forwarding.`;

const retryNotice = ({ giveUpAt }: RecipientResult) =>
  giveUpAt
    ? `Posthouse keeps retrying until ${mailDate(new Date(giveUpAt))} and notifies you if delivery fails.`
    : "";

function recipientLines(settled: RecipientResult): string {
  const words = plainText(settled.reply ?? "", WORDS_LENGTH_MAX);
  const serverReply = words && `Server reply: ${words}`;
  const lines = {
    bounced: () => [...failureLines(settled), serverReply],
    delayed: () => ["The other server has not accepted it yet.", serverReply],
    delivered: () => [deliveryLine(settled)],
  }[settled.result]();
  return [plainText(settled.recipient), ...lines]
    .filter(Boolean)
    .map((line) => INDENT + line)
    .join("\r\n");
}

function failureLines({ result, dsn, reply }: RecipientResult): string[] {
  const { what, advice } = explainStatus(dsnStatus({ result, dsn }), reply ?? "");
  return [`${what} ${advice}`];
}

function deliveryLine(settled: RecipientResult): string {
  switch (dsnAction(settled)) {
    case "relayed":
      return "The other server accepted it. It may send further notifications.";
    case "expanded":
      return "It was sent to the members of the group.";
    default:
      return "It was delivered to the mailbox.";
  }
}

/** Wraps lines, keeping their indentation. */
function wrap(text: string): string {
  return text
    .split("\r\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)![0];
      const lines = [indent.slice(1)];
      for (const word of line.trim().split(" ")) {
        const last = lines.at(-1)!;
        const isFirst = last.trim() === "";
        if (!isFirst && last.length + word.length >= WIDTH) lines.push(indent + word);
        else lines[lines.length - 1] = isFirst ? indent + word : `${last} ${word}`;
      }
      return lines;
    })
    .join("\r\n");
}
