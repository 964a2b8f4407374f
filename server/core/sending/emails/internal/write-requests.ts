import { sql } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { storeAnswers } from "#server/core/sending/idempotency/store-answers.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/acceptance-blocker.ts";
import { lockTotals } from "#server/core/sending/quotas/lock-totals.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

import { insertEmails } from "./insert-emails.ts";
import { type AcceptedEmail, type CheckedRequest, checkRequest } from "./check-request.ts";
import { readSendingFacts } from "./read-sending-facts.ts";
import { recordConsoleSend } from "./record-console-send.ts";
import type { EmailResult, EmailRequest } from "./email-request.ts";
import { reserveQuotas } from "./reserve-quotas.ts";
import { quotaUsage } from "./quota-usage.ts";

/** How often sends older than an hour are subtracted from the totals. */
const SWEEP_EVERY_MS = 5_000;
/** Each retry means that another process used up the quota in between. */
const ATTEMPTS = 20;

let sweptAt = -Infinity;

/** For each request its results, or why it is rejected as a whole. */
type Outcomes = (EmailResult[] | Refusal)[];

/**
 * Accepts requests as if one came after the other, in two round trips whatever their number: one reads what
 * the checks need, one writes everything and rechecks the totals under their lock. If the totals leave no
 * room, or a request exceeds a limit, the totals are swept and everything is checked again.
 */
export async function writeRequests(db: Db, requests: EmailRequest[]): Promise<Outcomes> {
  const companyIds = [...new Set(requests.map(({ companyId }) => companyId))];
  let isSwept = performance.now() - sweptAt > SWEEP_EVERY_MS;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (isSwept) await sweep(db, companyIds);
    const outcomes = await attemptWrite(db, requests, isSwept);
    if (outcomes) return outcomes;
    isSwept = true;
  }
  throw new Error("The recipient totals changed too often to reserve quotas");
}

async function sweep(db: Db, companyIds: string[]): Promise<void> {
  await db.transaction((tx) => lockTotals(tx, companyIds));
  sweptAt = performance.now();
}

async function attemptWrite(
  db: Db,
  requests: EmailRequest[],
  isSwept: boolean,
): Promise<Outcomes | null> {
  const [limits, problem, facts] = await Promise.all([
    currentSettings(db),
    acceptanceBlocker(db),
    readSendingFacts(db, requests),
  ]);
  const overLimit: Refusal[] = [];
  const checked = requests.map((request) => {
    const result = checkRequest(request, facts, problem);
    if (result instanceof Refusal) return result;
    const refusal = reserveQuotas(result, { facts, limits });
    if (refusal) overLimit.push(refusal);
    return refusal ?? result;
  });
  if (overLimit.length > 0 && !isSwept) return null;

  const accepted = checked.flatMap((result) => (result instanceof Refusal ? [] : result));
  const outcomes = checked.map((result) => (result instanceof Refusal ? result : result.results));
  const isPublished = accepted.some(
    ({ change }) => facts.companies.get(change.companyId)?.hasWebhook,
  );
  const taken = quotaUsage(accepted, { facts, limits });
  if (!(await writeAll(db, { accepted, taken, isPublished, outcomes, requests }))) return null;
  if (isPublished) wakeWebhooks(db);
  return outcomes;
}

type Write = {
  accepted: CheckedRequest[];
  taken: ReturnType<typeof quotaUsage>;
  isPublished: boolean;
  outcomes: Outcomes;
  requests: EmailRequest[];
};

async function writeAll(db: Db, { accepted, taken, isPublished, outcomes, requests }: Write) {
  const emails = accepted.flatMap((request) => request.accepted);
  const write = { accepted: emails, taken, isPublished };
  const files = emails.flatMap(attachmentRows);
  const sources = emails.flatMap(sourceRows);
  const answers = requests.flatMap((request, index) => storedAnswer(request, outcomes[index]!));
  const sent = requests.flatMap((request, index) => consoleSends(request, outcomes[index]!));
  if (files.length + sources.length + answers.length + sent.length === 0)
    return emails.length === 0 || insertEmails(db, write);
  return db.transaction(async (tx) => {
    if (emails.length > 0 && !(await insertEmails(tx, write))) return false;
    if (files.length > 0) await tx.insert(emailAttachments).values(files);
    if (sources.length > 0) await writeSources(tx, sources);
    await storeAnswers(tx, answers);
    for (const { ctx, email } of sent) await recordConsoleSend({ ...ctx, db: tx }, email);
    return true;
  });
}

async function writeSources(db: Db, sources: { id: string; content: Buffer }[]): Promise<void> {
  const rows = sources.map(({ id, content }) => sql`(${id}::uuid, ${content}::bytea)`);
  await db.execute(sql`
    update email_bodies b set source = e.content
    from (values ${sql.join(rows, sql`, `)}) e(id, content) where b.email_id = e.id`);
}

/** The response to store under the idempotency key. A rejected request releases its key instead. */
function storedAnswer({ keyLock, toAnswer }: EmailRequest, outcome: EmailResult[] | Refusal) {
  if (!keyLock || outcome instanceof Refusal) return [];
  const answer = toAnswer(outcome);
  return answer === null ? [] : [{ keyLock, answer }];
}

/** The emails to record in the audit log with the admin who sent them. */
function consoleSends({ sentBy: ctx, emails }: EmailRequest, outcome: EmailResult[] | Refusal) {
  if (!ctx || outcome instanceof Refusal) return [];
  return outcome.flatMap((result, index) =>
    "id" in result ? { ctx, email: { id: result.id, input: emails[index]! } } : [],
  );
}

const attachmentRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed"
    ? []
    : input.attachments.map((file, position) => ({ emailId: id, position, ...file }));

const sourceRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed" || !input.source ? [] : [{ id, content: input.source.content }];
