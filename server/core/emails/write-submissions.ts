import { answerKey } from "#server/core/idempotency/answer-key.ts";
import { whyNotNow } from "#server/core/outbox/why-not-now.ts";
import { changeTotals } from "#server/core/quotas/change-totals.ts";
import { lockTotals } from "#server/core/quotas/lock-totals.ts";
import { Refusal } from "#server/core/refusals.ts";
import { currentSettings } from "#server/core/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { insertEmails } from "./insert-emails.ts";
import { judgeSubmission } from "./judge-submission.ts";
import { readSendingFacts } from "./read-sending-facts.ts";
import type { EmailResult, Submission } from "./submission.ts";
import { takeQuotas } from "./take-quotas.ts";

/**
 * Accepts submissions in one transaction, each as if it came after the one before it. A constant number
 * of statements, whatever their number.
 *
 * @returns for each submission its results, or why it is refused as a whole
 */
export async function writeSubmissions(
  db: Db,
  submissions: Submission[],
): Promise<(EmailResult[] | Refusal)[]> {
  const [limits, problem] = await Promise.all([currentSettings(db), whyNotNow(db)]);
  return db.transaction(async (tx) => {
    const [totals, facts] = await Promise.all([
      lockTotals(tx, [...new Set(submissions.map(({ companyId }) => companyId))]),
      readSendingFacts(tx, submissions),
    ]);
    const judged = submissions.map((submission) => {
      const judgement = judgeSubmission(submission, facts, problem);
      if (judgement instanceof Refusal) return judgement;
      const company = facts.companies.get(submission.companyId)!;
      return takeQuotas(judgement, { company, totals, limits }) ?? judgement;
    });

    const accepted = judged.flatMap((judgement) =>
      judgement instanceof Refusal ? [] : judgement.accepted,
    );
    const outcomes = judged.map((judgement) =>
      judgement instanceof Refusal ? judgement : judgement.results,
    );
    await Promise.all([
      insertEmails(tx, accepted),
      changeTotals(
        tx,
        judged.flatMap((judgement) => (judgement instanceof Refusal ? [] : judgement.change)),
      ),
      ...submissions.map((submission, index) => storeAnswer(tx, submission, outcomes[index]!)),
    ]);
    return outcomes;
  });
}

/** A refused call gives its key back, so that only what was done is remembered. */
async function storeAnswer(
  tx: Db,
  { claim, answerOf }: Submission,
  outcome: EmailResult[] | Refusal,
): Promise<void> {
  if (!claim || outcome instanceof Refusal) return;
  const answer = answerOf(outcome);
  if (answer !== null) await answerKey(tx, claim, answer);
}
