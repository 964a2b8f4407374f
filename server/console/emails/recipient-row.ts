import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { RecipientOutcome } from "#server/core/sending/emails/list-recipient-outcomes.ts";
import { SUPPRESSION_ORIGINS } from "#server/core/sending/suppressions/find-suppressed.ts";
import { explainOutcome } from "#server/core/sending/replies/explain-outcome.ts";

import { EmailStatus } from "./email-row.ts";
import { Explanation } from "./explanation.ts";

export const RecipientRow = z.object({
  address: z.string(),
  field: z.enum(["to", "cc", "bcc"]),
  status: EmailStatus,
  at: z.string().nullable(),
  explanation: Explanation,
  reply: z
    .object({ dsn: z.string().nullable(), message: z.string().nullable() })
    .nullable()
    .describe("The receiving server's response"),
  failures: z.number().describe("Number of attempts that failed temporarily"),
  next_attempt_at: z.string().nullable(),
  is_being_tried: z.boolean(),
  given_up_at: z
    .string()
    .nullable()
    .describe("When Posthouse stops retrying; null if it isn't waiting"),
  suppression: z
    .object({
      origin: z.enum(SUPPRESSION_ORIGINS),
      is_of_this_email: z.boolean(),
    })
    .nullable()
    .describe("Set if the address is on the suppression list"),
});

export function recipientRow(outcome: RecipientOutcome): z.input<typeof RecipientRow> {
  const { address, state, dsn, message, suppression } = outcome;
  return {
    address,
    field: outcome.field,
    status: state,
    at: optionalTimestamp(outcome.at),
    explanation: explainOutcome({ ...outcome, type: state, recipient: address }),
    reply: dsn === null && message === null ? null : { dsn, message },
    failures: outcome.failures,
    next_attempt_at: optionalTimestamp(outcome.nextAttemptAt),
    is_being_tried: outcome.isInProgress,
    given_up_at: optionalTimestamp(outcome.expiresAt),
    suppression: suppression && {
      origin: suppression.origin,
      is_of_this_email: suppression.isOfThisEmail,
    },
  };
}

const optionalTimestamp = (moment: string | null) =>
  moment === null ? null : consoleTimestamp(moment);
