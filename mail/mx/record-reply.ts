import type { SMTPServerSession } from "smtp-server";

import { count } from "#server/core/platform/monitoring/counters.ts";
import { recordMail } from "#server/core/mail/mail-log/record-mail.ts";
import type { Db } from "#server/db/client.ts";

import type { SmtpReply } from "./smtp-reply.ts";

/** Size in octets and Message-ID. */
export type MessageFacts = { size: number | null; messageId: string | null };

type About = {
  kind: "received" | "refused" | "submitted" | "sign_in_failed";
  reply: SmtpReply | string;
  recipient?: string | null;
  companyId?: string | null;
  /** The user name of a failed sign-in, otherwise the return path. */
  sender?: string;
} & Partial<MessageFacts>;

/** Records a reply of a listener in the mail log. */
export function recordReply(
  db: Db,
  { remoteAddress, hostNameAppearsAs, envelope }: SMTPServerSession,
  { kind, reply, recipient = null, companyId = null, size = null, messageId = null, sender }: About,
): void {
  const text = typeof reply === "string" ? reply : `${reply.responseCode} ${reply.message}`;
  count("posthouse_smtp_replies_total", { kind, code: `${text.charAt(0)}xx` });
  const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : null;
  recordMail(db, {
    ...{ kind, companyId, recipient, size, messageId },
    clientAddress: remoteAddress.replace(/%.*$/, ""),
    helo: hostNameAppearsAs || null,
    sender: sender ?? mailFrom,
    reply: text,
  });
}
