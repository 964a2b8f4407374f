import type { SMTPServerSession } from "smtp-server";

import { count } from "#server/core/platform/monitoring/counters.ts";
import { recordMail } from "#server/core/mail/mail-log/mail-log.ts";
import type { Db } from "#server/db/client.ts";

import type { SmtpReply } from "./smtp-reply.ts";
import type { DeliveryOutcome } from "./deliver.ts";
import type { AcceptedRecipient, Incoming, MxContext } from "./mx-context.ts";

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
export function logReply(
  db: Db,
  { remoteAddress, hostNameAppearsAs, envelope }: SMTPServerSession,
  { kind, reply, recipient = null, companyId = null, size = null, messageId = null, sender }: About,
): void {
  const text = typeof reply === "string" ? reply : `${reply.responseCode} ${reply.message}`;
  count("posthouse_smtp_replies_total", { kind, code: `${text.charAt(0)}xx` });
  const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : null;
  recordMail(db, {
    kind,
    companyId,
    recipient,
    size,
    messageId,
    clientAddress: remoteAddress.replace(/%.*$/, ""),
    helo: hostNameAppearsAs || null,
    sender: sender ?? mailFrom,
    reply: text,
  });
}

export const ACCEPTED = "2.0.0 Accepted";

type Answered = {
  incoming: Incoming;
  /** The reply to the whole message; null for 250. */
  refusal: SmtpReply | null;
  message: MessageFacts | null;
  outcomes: DeliveryOutcome[];
};

/** Records a row per recipient of the message, with what happened to it there after a 250. */
export function recordMessageReplies(
  db: MxContext["db"],
  session: SMTPServerSession,
  { incoming, refusal, message, outcomes }: Answered,
): void {
  for (const recipient of incoming.recipients)
    logReply(db, session, {
      ...(refusal
        ? { kind: "refused", reply: refusal }
        : describeOutcome(findOutcome(outcomes, recipient))),
      recipient: typeof recipient.address === "string" ? recipient.address : null,
      companyId: "companyId" in recipient ? recipient.companyId : null,
      ...message,
    });
}

/** Undefined for the appliance's own addresses. Addresses of one mailbox share an outcome. */
const findOutcome = (outcomes: DeliveryOutcome[], recipient: AcceptedRecipient) =>
  outcomes.find((outcome) => outcome.recipient === recipient) ??
  outcomes.find(
    (outcome) =>
      recipient.kind === "mailbox" &&
      outcome.recipient.kind === "mailbox" &&
      outcome.recipient.mailbox === recipient.mailbox,
  );

type Reply = { kind: "received" | "refused"; reply: string };

function describeOutcome(outcome: DeliveryOutcome | undefined): Reply {
  const reply = `250 ${ACCEPTED}`;
  switch (outcome?.status) {
    case undefined:
      return { kind: "received", reply };
    case "accepted":
      if (outcome.discarded !== undefined)
        return { kind: "refused", reply: `${reply}; discarded: ${outcome.discarded}` };
      return { kind: "received", reply: outcome.held ? `${reply}; ${outcome.held}` : reply };
    case "deferred":
      return { kind: "received", reply: `${reply}; queued after ${textOf(outcome.reply)}` };
    case "rejected":
      return { kind: "refused", reply: `${reply}; not delivered: ${textOf(outcome.reply)}` };
    case "loop":
      return { kind: "refused", reply: `${reply}; not delivered again: mail loop` };
  }
}

const textOf = ({ responseCode, message }: SmtpReply) => `${responseCode} ${message}`;
