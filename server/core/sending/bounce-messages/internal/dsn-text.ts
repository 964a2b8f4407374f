import { plainText } from "#server/core/shared/mime/plain-text.ts";
import { config } from "#server/config.ts";
import { FAILURES_MAX } from "#server/core/sending/messages/repeated-failures.ts";

import { explainStatus } from "#server/core/sending/bounce-messages/explain-status.ts";
import type { Dsn } from "#server/core/sending/bounce-messages/compose-dsn.ts";
import type { OriginalMessage } from "#server/core/sending/bounce-messages/original-message.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import {
  actionOf,
  mailDate,
  statusOf,
} from "#server/core/sending/bounce-messages/status-fields.ts";

const WIDTH = 72;
const INDENT = "  ";
const SUBJECT_LENGTH_MAX = 200;
const WORDS_LENGTH_MAX = 500;

/** The readable part of a bounce message, with CRLF. All recipients have the same result. */
export function dsnText({ hostname, message, recipients, returned }: Dsn): string {
  const [{ result }] = recipients as [RecipientResult];
  const subject = plainText(message.subject, SUBJECT_LENGTH_MAX);
  const sentAt = mailDate(new Date(message.createdAt));
  const paragraphs = [
    `${describeMessage(message)} ${describeResult(message, result)}`,
    [subject && `Subject: ${subject}`, `${isReturned(message) ? "Received" : "Sent"}: ${sentAt}`]
      .filter(Boolean)
      .map((line) => INDENT + line)
      .join("\r\n"),
    ...recipients.map(recipientLines),
    recipients.some(({ isSuspended }) => isSuspended) ? suspensionNotice() : "",
    returned?.isWhole && isReturned(message) ? "The original message is attached." : "",
    END[result],
    `This report was made by the mail server ${hostname}.`,
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
  bounced: "could not be delivered to the addresses below, and is not tried again there.",
  delayed: "has not reached the addresses below yet. You need not do anything.",
  delivered: "was delivered to the addresses below.",
};

const suspensionNotice = () =>
  `Forwarding to this address is suspended because ${FAILURES_MAX} messages in a row could not be delivered. New messages stay in your mailbox. Resume forwarding at ${config().baseUrl}/account/forwarding.`;

const END = {
  bounced: "",
  delayed: "It is tried again until two days have passed, and you are told if it fails for good.",
  delivered: "",
};

function recipientLines(settled: RecipientResult): string {
  const words = plainText(settled.reply ?? "", WORDS_LENGTH_MAX);
  const said = words && `The reason given: ${words}`;
  const lines = {
    bounced: () => [...failureLines(settled), said],
    delayed: () => ["The other server could not take it so far.", said],
    delivered: () => [deliveryLine(settled)],
  }[settled.result]();
  return [plainText(settled.recipient), ...lines]
    .filter(Boolean)
    .map((line) => INDENT + line)
    .join("\r\n");
}

function failureLines({ result, dsn, reply }: RecipientResult): string[] {
  const { what, advice } = explainStatus(statusOf({ result, dsn }), reply ?? "");
  return [`${what} ${advice}`];
}

function deliveryLine(settled: RecipientResult): string {
  switch (actionOf(settled)) {
    case "relayed":
      return "The other server has taken it. Whether it reports any more is up to that server.";
    case "expanded":
      return "It was handed on to the members of the group.";
    default:
      return "It is in the mailbox.";
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
