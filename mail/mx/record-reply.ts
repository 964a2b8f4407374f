import type { SMTPServerSession } from "smtp-server";

import { recordMail } from "#server/core/mail/mail-log/record-mail.ts";
import type { Db } from "#server/db/client.ts";

import type { SmtpReply } from "./smtp-reply.ts";

/** What is noted of a whole message: octets, and the Message-ID of its header. */
export type MessageFacts = { size: number | null; messageId: string | null };

/** What is noted of an answer: to whom it was, about which recipient. */
type About = {
  kind: "received" | "refused" | "submitted" | "sign_in_failed";
  reply: SmtpReply | string;
  recipient?: string | null;
  companyId?: string | null;
  /** Who tried to sign in; else the reverse path. */
  sender?: string;
} & Partial<MessageFacts>;

/** Notes what a listener answers, for operators who look why mail did not come or go. */
export function recordReply(
  db: Db,
  { remoteAddress, hostNameAppearsAs, envelope }: SMTPServerSession,
  { kind, reply, recipient = null, companyId = null, size = null, messageId = null, sender }: About,
): void {
  const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : null;
  recordMail(db, {
    ...{ kind, companyId, recipient, size, messageId },
    clientAddress: remoteAddress.replace(/%.*$/, ""),
    helo: hostNameAppearsAs || null,
    sender: sender ?? mailFrom,
    reply: typeof reply === "string" ? reply : `${reply.responseCode} ${reply.message}`,
  });
}
