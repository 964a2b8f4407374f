import { inArray, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import { signingProblem } from "#server/core/sending/dkim/signing-problem.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/acceptance-blocker.ts";
import { changeTotals } from "#server/core/sending/quotas/change-totals.ts";
import { lockTotals, type Totals } from "#server/core/sending/quotas/lock-totals.ts";
import type { Db } from "#server/db/client.ts";

import { KEY_REVOKED } from "./cancel-emails-of-keys.ts";
import { endScheduled, refundTotals, type ScheduleEnd } from "./internal/end-scheduled.ts";
import { type DueEmail, lockDue } from "./internal/lock-due.ts";
import { sendDue } from "./internal/send-due.ts";
import { type AddressedEmail, splitRecipients } from "./internal/split-recipients.ts";

/** Emails per transaction. At most 5,000 recipients, so locks are held briefly. */
const BATCH = 100;

/** How long an email waits if it exceeds the hourly limit or the outbox accepts nothing now. */
const WAIT_MINUTES = 5;

/** Results of a batch, in emails. */
export type DueCounts = { ended: number; suppressed: number; sent: number; waiting: number };

/**
 * Processes a batch of due emails, longest due first, in one transaction. Each is moved to the outbox, or
 * ends as canceled, failed or suppressed, or waits five more minutes for the hourly limit or the outbox. Safe
 * to run concurrently; a crash leaves the batch unchanged.
 */
export async function processDueEmails(db: Db): Promise<DueCounts & { isFull: boolean }> {
  const [limits, problem] = await Promise.all([currentSettings(db), acceptanceBlocker(db)]);
  return db.transaction(async (tx) => {
    const due = await lockDue(tx, BATCH);
    const isFull = due.length === BATCH;
    if (due.length === 0) return { ended: 0, suppressed: 0, sent: 0, waiting: 0, isFull };

    const ends = due.flatMap((email) => checkDue(email) ?? []);
    const ended = new Set(ends.map(({ email }) => email.id));
    const addressed = await splitRecipients(
      tx,
      due.filter(({ id }) => !ended.has(id)),
    );
    const suppressed = addressed.filter(({ remaining }) => remaining.length === 0);
    const totals = await lockTotals(tx, [...new Set(due.map(({ companyId }) => companyId))]);
    const able = addressed.filter(({ remaining }) => remaining.length > 0);
    const { fitting, waiting } =
      problem === null ? splitByHourlyLimit(able, totals, limits) : { fitting: [], waiting: able };

    await endScheduled(tx, ends);
    await sendDue(tx, [...suppressed, ...fitting]);
    await postpone(tx, waiting);
    await changeTotals(tx, [
      ...refundTotals([...ends, ...suppressed].map(({ email }) => email)),
      ...totalsOfSent(fitting),
    ]);
    return {
      ended: ends.length,
      suppressed: suppressed.length,
      sent: fitting.length,
      waiting: waiting.length,
      isFull,
    };
  });
}

async function postpone(db: Db, waiting: AddressedEmail[]): Promise<void> {
  if (waiting.length === 0) return;
  const ids = waiting.map(({ email }) => email.id);
  await db
    .update(emails)
    .set({ dueAt: sql`statement_timestamp() + make_interval(mins => ${WAIT_MINUTES})` })
    .where(inArray(emails.id, ids));
}

function totalsOfSent(sent: AddressedEmail[]) {
  return [...Map.groupBy(sent, ({ email }) => email.companyId)].map(([companyId, group]) => {
    const recipients = countOf(group.map(({ email }) => email));
    return { companyId, hour: recipients, scheduled: -recipients };
  });
}

const countOf = (due: DueEmail[]) => due.reduce((sum, { recipients }) => sum + recipients, 0);

/** Parts due emails, in their order, into those that the rolling hour has room for and those that must wait. */
function splitByHourlyLimit(
  due: AddressedEmail[],
  totals: { platform: Totals; companies: Map<string, Totals> },
  limits: Pick<Settings, "hourly_recipients_company" | "hourly_recipients_platform">,
): { fitting: AddressedEmail[]; waiting: AddressedEmail[] } {
  let platform = totals.platform.hour;
  const companies = new Map([...totals.companies].map(([id, { hour }]) => [id, hour]));
  const fitting: AddressedEmail[] = [];
  const waiting: AddressedEmail[] = [];
  for (const addressed of due) {
    const { companyId, recipients } = addressed.email;
    const company = (companies.get(companyId) ?? 0) + recipients;
    if (
      company > limits.hourly_recipients_company ||
      platform + recipients > limits.hourly_recipients_platform
    ) {
      waiting.push(addressed);
      continue;
    }
    companies.set(companyId, company);
    platform += recipients;
    fitting.push(addressed);
  }
  return { fitting, waiting };
}

/** Why a due email can't be sent at all, apart from limits and suppressions; null if it can. */
function checkDue(email: DueEmail): ScheduleEnd | null {
  const { domain, company } = email;
  // Before the key: keys restricted to the domain were revoked with it.
  if (!domain) return failed(email, "The sending domain was deleted");
  const canceled = checkSenderAccess(email);
  if (canceled) return { email, type: "canceled", reason: canceled };
  if (!company.serviceEnabled)
    return failed(email, "The email service is turned off for the company");
  if (company.suspendedAt) return failed(email, "The company is suspended");
  if (email.isTest) return null;
  if (!domain.ownershipProvenAt)
    return failed(email, `The ownership of ${domain.name} is no longer verified`);
  if (domain.status !== "verified")
    return failed(
      email,
      `${domain.name} is no longer verified: its SPF or DKIM record was not found at the last check`,
    );
  const problem = signingProblem(domain.sealedDkimKey);
  return problem === null ? null : failed(email, problem);
}

function checkSenderAccess({ apiKeyId, key, creator, sender }: DueEmail): string | null {
  // Scheduled by an admin in the console: same rule as for the creator of a key.
  if (apiKeyId === null)
    return sender && sender.disabledAt === null
      ? null
      : "The admin who scheduled the email no longer has access";
  if (!key || !creator) return "The admin who created the API key no longer has access";
  if (key.revokedAt) return KEY_REVOKED;
  if (creator.disabledAt) return "The admin who created the API key is disabled";
  return null;
}

const failed = (email: DueEmail, reason: string): ScheduleEnd => ({
  ...{ email, type: "failed", reason },
});
