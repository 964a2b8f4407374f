import { createHash } from "node:crypto";

import { formatTls } from "#server/core/sending/transport-security/tls-outcome.ts";
import type { Outcome, Failure } from "#worker/delivery/delivery.ts";
import type { Transaction } from "#worker/delivery/smtp/envelope.ts";

import type { Sent } from "./send-or-convert.ts";

type Answer = Omit<Sent, "answer"> & { answer: Failure[] | Failure; message?: Buffer };

/** The outcomes of a transaction's recipients, in their order. */
export function toOutcomes({ recipients }: Transaction, answered: Answer): Outcome[] {
  const { answer, host, address, tls, message } = answered;
  const isDelivered = Array.isArray(answer) && answer.some(({ result }) => result === "delivered");
  const common = {
    ...(host === undefined ? {} : { host }),
    ...(address ? { address } : {}),
    ...(tls ? { tls: formatTls(tls) } : {}),
    ...(isDelivered && message ? { messageHash: sha256(message) } : {}),
  };
  return recipients.map((recipient, at) => ({
    ...{ recipient, ...common },
    ...(Array.isArray(answer) ? answer[at]! : answer),
  }));
}

const sha256 = (message: Buffer): string => createHash("sha256").update(message).digest("hex");

export function sortByRecipients(recipients: string[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.map((recipient) => byRecipient.get(recipient)!);
}
