import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import type { EmailResult } from "./internal/email-request.ts";
import type { SendingKey } from "./internal/sending-key.ts";

/** An email of a batch with its index: the input, or why it is invalid. */
export type BatchEmail = { index: number } & ({ input: EmailInput } | { refusal: Refusal });

export type BatchAnswer = {
  /** The accepted ones, in order. */
  data: { id: string }[];
  /** Rejected emails of a permissive batch. */
  errors?: { index: number; message: string }[];
};

export type BatchValidation = "strict" | "permissive";

/**
 * Accepts the emails of a batch in one transaction. `strict`: all or, with the first error, none.
 * `permissive`: the valid ones. An email that the outbox can't accept is recorded as failed, and its id is
 * returned like the others.
 *
 * @throws Refusal as `sendEmail`; an error of one email names its index
 */
export async function sendBatch(
  ctx: Context,
  key: SendingKey,
  batch: { emails: BatchEmail[]; validation: BatchValidation },
  keyLock: KeyLock | null = null,
): Promise<BatchAnswer> {
  const { validation } = batch;
  const firstInvalid = batch.emails.findIndex((email) => "refusal" in email);
  // A strict batch with an invalid email fails anyway; check only those before it, to report the first error.
  const validateOnly = validation === "strict" && firstInvalid !== -1;
  const emails = validateOnly ? batch.emails.slice(0, firstInvalid + 1) : batch.emails;
  const valid = emails.flatMap((email) => ("input" in email ? email : []));
  const answerOf = (results: EmailResult[]) => buildAnswer(emails, results, validation);

  const results = await acceptEmails(ctx.db, {
    companyId: ctx.companyId,
    key,
    emails: valid.map(({ input }) => input),
    allOrNone: validation === "strict",
    validateOnly,
    keyLock,
    toAnswer: (results) => (firstRefusal(emails, results, validation) ? null : answerOf(results)),
  });
  const refusal = firstRefusal(emails, results, validation);
  if (refusal) throw refusal;
  wakePump(ctx.db);
  return answerOf(results);
}

type IndexedResult = { index: number; id: string } | { index: number; refusal: Refusal };

function indexResults(emails: BatchEmail[], results: EmailResult[]): IndexedResult[] {
  const remaining = results.values();
  return emails.map((email) => {
    if ("refusal" in email) return email;
    const result = remaining.next().value!;
    return { index: email.index, ...result };
  });
}

function firstRefusal(
  emails: BatchEmail[],
  results: EmailResult[],
  validation: BatchValidation,
): Refusal | null {
  if (validation === "permissive") return null;
  for (const email of indexResults(emails, results))
    if ("refusal" in email)
      return new Refusal(
        email.refusal.reason,
        `Email at index ${email.index}: ${email.refusal.message}`,
      );
  return null;
}

function buildAnswer(
  emails: BatchEmail[],
  results: EmailResult[],
  validation: BatchValidation,
): BatchAnswer {
  const all = indexResults(emails, results);
  const data = all.flatMap((email) => ("refusal" in email ? [] : { id: email.id }));
  if (validation === "strict") return { data };
  return {
    data,
    errors: all.flatMap((email) =>
      "refusal" in email ? { index: email.index, message: email.refusal.message } : [],
    ),
  };
}
