import { isAscii } from "node:buffer";

import { v7 as uuidv7 } from "uuid";

import { dsnText } from "./internal/dsn-text.ts";
import type { OriginalMessage } from "./original-message.ts";
import type { RecipientResult } from "./recipient-result.ts";
import { dsnAction, ascii, field, mailDate, statusFields } from "./status-fields.ts";

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
    messageId: `<${uuidv7()}@${hostname}>`,
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
  const boundary = `=_${uuidv7()}`;
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
