import type { SMTPServerSession } from "smtp-server";

import type { DeliveryOutcome } from "./delivery-outcome.ts";
import type { AcceptedRecipient, Incoming, MxContext } from "./mx-context.ts";
import { type MessageFacts, recordReply } from "./record-reply.ts";
import type { SmtpReply } from "./smtp-reply.ts";

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
    recordReply(db, session, {
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
      return outcome.discarded === undefined
        ? { kind: "received", reply }
        : { kind: "refused", reply: `${reply}; discarded: ${outcome.discarded}` };
    case "deferred":
      return { kind: "received", reply: `${reply}; queued after ${textOf(outcome.reply)}` };
    case "rejected":
      return { kind: "refused", reply: `${reply}; not delivered: ${textOf(outcome.reply)}` };
    case "loop":
      return { kind: "refused", reply: `${reply}; not delivered again: mail loop` };
  }
}

const textOf = ({ responseCode, message }: SmtpReply) => `${responseCode} ${message}`;
