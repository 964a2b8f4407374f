import { eq } from "drizzle-orm";
import { v7 } from "uuid";

import { companies } from "#drizzle/schema/index.ts";
import type { KeyLock } from "#server/core/sending/idempotency/idempotency.ts";
import { loadAttachments, loadSource, wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { withFields } from "#server/core/shared/mime/edit-parts.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput, EmailSource } from "./email-input.ts";
import { getEmail } from "./emails.ts";
import type { EmailResult, SendingKey } from "./internal/email-request.ts";

/**
 * Accepts one email and queues or schedules it. On return the email, its events, its outbox rows and the
 * answer of `keyLock` are committed.
 *
 * @param givenId a UUIDv7, for an email whose message already contains it
 * @throws Refusal `account_inactive`, `invalid_from_address`, `domain_not_verified`, `rate_limit_exceeded` or
 *   `monthly_quota_exceeded`, with nothing stored; `application_error` if the outbox accepts nothing now,
 *   with the email recorded as failed
 */
export async function sendEmail(
  ctx: Context,
  key: SendingKey,
  input: EmailInput,
  keyLock: KeyLock | null = null,
  givenId?: string,
): Promise<{ id: string }> {
  const [result] = await acceptEmails(ctx.db, {
    companyId: ctx.companyId,
    key,
    emails: [input],
    ...(givenId !== undefined && { ids: [givenId] }),
    allOrNone: true,
    keyLock,
    toAnswer: ([result]) => (isAccepted(result!) ? { id: result.id } : null),
  });
  const id = requireAccepted(result!);
  wakePump(ctx.db);
  return { id };
}

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

/**
 * Accepts an email that an admin sends from the console. The same rules apply as for API keys: service
 * switch, invoice, subscription, domains, suppressions and limits. The email and the audit log name the admin.
 *
 * @throws Refusal `service_disabled` or `account_suspended`, and all that `sendEmail` throws
 */
export async function sendFromConsole(
  ctx: Context,
  input: EmailInput,
  keyLock: KeyLock | null = null,
): Promise<{ id: string }> {
  const { actor } = ctx;
  if (actor.kind !== "admin") throw new Error("Only admins can send from the console");
  await requireCompanyCanSend(ctx);
  const [result] = await acceptEmails(ctx.db, {
    companyId: ctx.companyId,
    key: null,
    emails: [input],
    allOrNone: true,
    keyLock,
    toAnswer: ([result]) => (isAccepted(result!) ? { id: result.id } : null),
    sentBy: { ...ctx, actor },
  });
  const id = requireAccepted(result!);
  wakePump(ctx.db);
  return { id };
}

/** The checks that each call with an API key passes first. */
async function requireCompanyCanSend(ctx: Context): Promise<void> {
  const [company] = await ctx.db
    .select({
      serviceEnabled: companies.serviceEnabled,
      suspendedAt: companies.suspendedAt,
      overdueInvoice: companies.overdueInvoice,
    })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  if (!company?.serviceEnabled || company.suspendedAt)
    throw new Refusal("service_disabled", "The email service is turned off for this company");
  if (!company.overdueInvoice) return;
  const { number, paymentUrl } = company.overdueInvoice;
  throw new Refusal("account_suspended", `Invoice ${number} is overdue. Pay it at ${paymentUrl}`);
}

/**
 * Sends an email of the company again, at once, as a new email with the same content, attachments and
 * recipients. Recipients suppressed by now are skipped as usual.
 *
 * @throws Refusal `not_found`; `invalid` for a test email, and once its content is deleted; all that `sendFromConsole`
 *   throws
 */
export async function resendEmail(
  ctx: Context,
  id: string,
  keyLock: KeyLock | null = null,
): Promise<{ id: string }> {
  return sendFromConsole(ctx, await loadInput(ctx, id), keyLock);
}

/** The input that would send this email. */
async function loadInput(ctx: Context, id: string): Promise<EmailInput> {
  const { email, body } = await getEmail(ctx, id);
  // A resent copy would really be delivered: emails from the console are live.
  if (email.isTest)
    throw new Refusal("invalid", "A test email can't be resent. Send it again with the test key");
  if (!body)
    throw new Refusal(
      "invalid",
      "The content of this email is no longer stored, so it can't be resent",
    );
  const source = await loadSource(ctx.db, id);
  const { from: fromAddress, to, cc, bcc = [], replyTo } = body.addressHeaders;
  return {
    from: email.from,
    fromAddress,
    to,
    cc,
    replyTo,
    bcc: email.bcc.map(
      (address) => bcc.find((hidden) => hidden.address === address) ?? { name: "", address },
    ),
    subject: email.subject,
    html: body.html,
    text: body.text,
    headers: body.headers,
    tags: email.tags,
    scheduledAt: null,
    attachments: await loadAttachments(ctx.db, id),
    ...(source && { source: withNewDate(source, addressDomain(fromAddress.address), ctx.now()) }),
  };
}

/** The message with a new Date and Message-ID, since mailboxes drop repeated Message-IDs. */
function withNewDate(message: Buffer, domain: string, now: Date): EmailSource {
  const end = headerEnd(message);
  const messageId = `<${v7()}@${domain}>`;
  const date = now.toUTCString().replace("GMT", "+0000");
  const header = withFields(message.subarray(0, end), { Date: date, "Message-ID": messageId });
  return { content: Buffer.concat([header, message.subarray(end)]), messageId };
}

/** Whether the outbox or the schedule has accepted the email. */
const isAccepted = (result: EmailResult): result is { id: string; failed: null } =>
  "id" in result && result.failed === null;

/**
 * Returns the id of an accepted email.
 *
 * @throws Refusal the email's own error, or `application_error` if the outbox accepts nothing now and the
 *   email was recorded as failed
 */
function requireAccepted(result: EmailResult): string {
  if ("refusal" in result) throw result.refusal;
  if (!isAccepted(result))
    throw new Refusal(
      "application_error",
      `The mail server did not accept the email, so it was recorded as failed (ID ${result.id})`,
    );
  return result.id;
}
