import { sql } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { answerKeys } from "#server/core/sending/idempotency/answer-keys.ts";
import { whyNotNow } from "#server/core/sending/outbox/why-not-now.ts";
import { lockTotals } from "#server/core/sending/quotas/lock-totals.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";
import type { Db } from "#server/db/client.ts";

import { insertEmails } from "./insert-emails.ts";
import { type AcceptedEmail, type Judgement, judgeSubmission } from "./judge-submission.ts";
import { readSendingFacts } from "./read-sending-facts.ts";
import { noteSentBy } from "#server/core/sending/emails/sent-by.ts";
import type { EmailResult, Submission } from "./submission.ts";
import { takeQuotas } from "./take-quotas.ts";
import { takenBy } from "./taken-by.ts";

/** What has become older than an hour is taken off the totals at least this often. */
const SWEEP_EVERY_MS = 5_000;
/** Each repetition means that others took the room in between. */
const ATTEMPTS = 20;

let sweptAt = -Infinity;

/** For each submission its results, or why it is refused as a whole. */
type Outcomes = (EmailResult[] | Refusal)[];

/**
 * Accepts submissions at one moment, each as if it came after the one before it, in two round trips
 * whatever their number: what decides is read, and everything is written by one statement that judges
 * the totals once more under their lock. Only when those leave no room, or when a submission is refused
 * for a limit, are the totals brought up to date and all is judged anew.
 */
export async function writeSubmissions(db: Db, submissions: Submission[]): Promise<Outcomes> {
  const companyIds = [...new Set(submissions.map(({ companyId }) => companyId))];
  let isSwept = performance.now() - sweptAt > SWEEP_EVERY_MS;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (isSwept) await sweep(db, companyIds);
    const outcomes = await tryToWrite(db, submissions, isSwept);
    if (outcomes) return outcomes;
    isSwept = true;
  }
  throw new Error("The totals of recipients changed too often to be taken from");
}

async function sweep(db: Db, companyIds: string[]): Promise<void> {
  await db.transaction((tx) => lockTotals(tx, companyIds));
  sweptAt = performance.now();
}

async function tryToWrite(
  db: Db,
  submissions: Submission[],
  isSwept: boolean,
): Promise<Outcomes | null> {
  const [limits, problem, facts] = await Promise.all([
    currentSettings(db),
    whyNotNow(db),
    readSendingFacts(db, submissions),
  ]);
  const overLimit: Refusal[] = [];
  const judged = submissions.map((submission) => {
    const judgement = judgeSubmission(submission, facts, problem);
    if (judgement instanceof Refusal) return judgement;
    const refusal = takeQuotas(judgement, { facts, limits });
    if (refusal) overLimit.push(refusal);
    return refusal ?? judgement;
  });
  if (overLimit.length > 0 && !isSwept) return null;

  const accepted = judged.flatMap((judgement) => (judgement instanceof Refusal ? [] : judgement));
  const outcomes = judged.map((judgement) =>
    judgement instanceof Refusal ? judgement : judgement.results,
  );
  const isPublished = accepted.some(
    ({ change }) => facts.companies.get(change.companyId)?.hasWebhook,
  );
  const taken = takenBy(accepted, { facts, limits });
  if (!(await writeAll(db, { accepted, taken, isPublished, outcomes, submissions }))) return null;
  if (isPublished) wakeWebhooks(db);
  return outcomes;
}

type Write = {
  accepted: Judgement[];
  taken: ReturnType<typeof takenBy>;
  isPublished: boolean;
  outcomes: Outcomes;
  submissions: Submission[];
};

async function writeAll(db: Db, { accepted, taken, isPublished, outcomes, submissions }: Write) {
  const emails = accepted.flatMap((judgement) => judgement.accepted);
  const write = { accepted: emails, taken, isPublished };
  const files = emails.flatMap(attachmentRows);
  const sources = emails.flatMap(sourceOf);
  const answers = submissions.flatMap((submission, index) =>
    answerOf(submission, outcomes[index]!),
  );
  const sent = submissions.flatMap((submission, index) => sentBy(submission, outcomes[index]!));
  if (files.length + sources.length + answers.length + sent.length === 0)
    return emails.length === 0 || insertEmails(db, write);
  return db.transaction(async (tx) => {
    if (emails.length > 0 && !(await insertEmails(tx, write))) return false;
    if (files.length > 0) await tx.insert(emailAttachments).values(files);
    if (sources.length > 0) await writeSources(tx, sources);
    await answerKeys(tx, answers);
    for (const { ctx, email } of sent) await noteSentBy({ ...ctx, db: tx }, email);
    return true;
  });
}

async function writeSources(db: Db, sources: { id: string; content: Buffer }[]): Promise<void> {
  const rows = sources.map(({ id, content }) => sql`(${id}::uuid, ${content}::bytea)`);
  await db.execute(sql`
    update email_bodies b set source = e.content
    from (values ${sql.join(rows, sql`, `)}) e(id, content) where b.email_id = e.id`);
}

/** What is to be remembered under a call's idempotency key. A refused call gives its key back. */
function answerOf({ claim, answerOf: toAnswer }: Submission, outcome: EmailResult[] | Refusal) {
  if (!claim || outcome instanceof Refusal) return [];
  const answer = toAnswer(outcome);
  return answer === null ? [] : [{ claim, answer }];
}

/** The emails that the audit log is to name somebody for. */
function sentBy({ sentBy: ctx, emails }: Submission, outcome: EmailResult[] | Refusal) {
  if (!ctx || outcome instanceof Refusal) return [];
  return outcome.flatMap((result, index) =>
    "id" in result ? { ctx, email: { id: result.id, input: emails[index]! } } : [],
  );
}

const attachmentRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed"
    ? []
    : input.attachments.map((file, position) => ({ emailId: id, position, ...file }));

const sourceOf = ({ id, state, input }: AcceptedEmail) =>
  state === "failed" || !input.source ? [] : [{ id, content: input.source.content }];
