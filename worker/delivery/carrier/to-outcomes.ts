import { formatTls } from "#server/core/sending/transport-security/tls-outcome.ts";
import type { Outcome } from "#worker/delivery/delivery.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import type { Transaction } from "#worker/delivery/smtp/envelope.ts";

import type { Sent } from "./send-or-convert.ts";

type Answer = Omit<Sent, "answer"> & { answer: Failure[] | Failure };

/** The outcomes of a transaction's recipients, in their order. */
export const toOutcomes = ({ recipients }: Transaction, { answer, host, tls }: Answer): Outcome[] =>
  recipients.map((recipient, at) => ({
    recipient,
    ...(host === undefined ? {} : { host }),
    ...(tls ? { tls: formatTls(tls) } : {}),
    ...(Array.isArray(answer) ? answer[at]! : answer),
  }));

export function sortByRecipients(recipients: string[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.map((recipient) => byRecipient.get(recipient)!);
}
