import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";

import { admins, apiKeys, companies, dkimKeys, domains, emails } from "#drizzle/schema/index.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import { signingProblem } from "#server/core/sending/dkim/dkim-keys.ts";
import { publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import {
  insertEvents,
  insertOutboxRows,
  QUEUED_COLUMN_TYPES,
  queuedColumns,
  type QueuedEmail,
  queuedEvents,
  sentAt,
} from "#server/core/sending/outbox/queue-rows.ts";
import { changeTotals, lockTotals, type Totals } from "#server/core/sending/quotas/totals.ts";
import {
  findSuppressed,
  type SplitRecipients,
  splitSuppressed,
} from "#server/core/sending/suppressions/suppressed.ts";
import type { Db } from "#server/db/client.ts";

import {
  endScheduled,
  KEY_REVOKED,
  refundTotals,
  SCHEDULE_COLUMNS,
  type ScheduleEnd,
} from "./schedules.ts";

/** Emails per transaction: at most 5,000 recipients, which keeps locks short. */
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
  email,
  type: "failed",
  reason,
});

/** Milliseconds until the next scheduled email is due, negative if one is overdue; null if there is none. */
export async function msUntilNextDue(db: Db): Promise<number | null> {
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms
    from emails where due_at is not null`);
  return row?.ms ?? null;
}

/** The admin who scheduled the email in the console. */
const sender = alias(admins, "sender");

/**
 * Locks due emails, longest due first, with everything the checks need. Skips locked rows: another
 * transaction is processing, canceling or rescheduling them.
 */
function lockDue(db: Db, limit: number) {
  return (
    db
      .select({
        ...SCHEDULE_COLUMNS,
        to: emails.to,
        cc: emails.cc,
        bcc: emails.bcc,
        size: emails.size,
        // Select an ID too: Drizzle returns null for an object whose fields are all null.
        key: { id: apiKeys.id, revokedAt: apiKeys.revokedAt },
        creator: { id: admins.id, disabledAt: admins.disabledAt },
        sender: { id: sender.id, disabledAt: sender.disabledAt },
        company: { serviceEnabled: companies.serviceEnabled, suspendedAt: companies.suspendedAt },
        domain: {
          id: domains.id,
          name: domains.name,
          status: domains.status,
          ownershipProvenAt: domains.ownershipProvenAt,
          openTracking: domains.openTracking,
          clickTracking: domains.clickTracking,
          sealedDkimKey: sql<string | null>`(
            select ${dkimKeys.sealedPrivateKey} from ${dkimKeys} where ${dkimKeys.domainId} = ${domains.id}
              and ${dkimKeys.algorithm} = 'rsa' and ${dkimKeys.state} = 'active')`,
        },
      })
      .from(emails)
      .innerJoin(companies, eq(companies.id, emails.companyId))
      .leftJoin(apiKeys, eq(apiKeys.id, emails.apiKeyId))
      .leftJoin(admins, eq(admins.id, apiKeys.creatorId))
      .leftJoin(
        sender,
        and(eq(sender.id, emails.sentByAdminId), eq(sender.companyId, emails.companyId)),
      )
      .leftJoin(domains, eq(domains.id, emails.domainId))
      // Not clock_timestamp(): only a stable function can bound an index scan.
      .where(lte(emails.dueAt, sql`statement_timestamp()`))
      .orderBy(asc(emails.dueAt), asc(emails.id))
      .limit(limit)
      .for("no key update", { of: emails, skipLocked: true })
  );
}

type DueEmail = Awaited<ReturnType<typeof lockDue>>[number];

/**
 * Moves due emails to the outbox, in the caller's transaction. One without remaining recipients ends as
 * suppressed.
 */
async function sendDue(db: Db, due: AddressedEmail[]): Promise<void> {
  if (due.length === 0) return;
  const companies = due.map(({ email }) => email.companyId);
  const isBatch = (companyId: string) =>
    companies.indexOf(companyId) !== companies.lastIndexOf(companyId);
  const queued = due.map((email) => toQueued(email, isBatch(email.email.companyId)));
  const changes = queued.map((email) => ({ id: email.id, ...queuedColumns(email) }));
  // The statements' texts don't depend on the number of rows, so each is prepared once.
  await db.execute(sql`
    update emails set due_at = null, message_id = given.message_id, last_event = given.last_event,
      event_types = emails.event_types | given.event_types, sent_at = ${sentAt("given")},
      open_tracking = given.open_tracking, click_tracking = given.click_tracking
    from json_to_recordset(${JSON.stringify(changes)}::json) as given(id uuid, ${QUEUED_COLUMN_TYPES})
    where emails.id = given.id`);
  await db.execute(sql`
    with events as (${insertEvents(queued.flatMap(queuedEvents))} returning *)
    ${publishEmailEvents("events", "emails")}`);
  await db.execute(insertOutboxRows(queued));
}

/** @param isBatch whether the company has several due emails */
function toQueued({ email, remaining, skipped }: AddressedEmail, isBatch: boolean): QueuedEmail {
  const { id, companyId, domain, size, isTest } = email;
  if (!domain)
    throw new Error(`The domain of due email ${id} is gone, although it was checked before`);
  return { id, companyId, domain, size, isBatch, isTest, remaining, skipped };
}

/** A due email with the recipients to send to and those to skip. */
type AddressedEmail = SplitRecipients & { email: DueEmail };

/** Splits the recipients of each email, each address once, by its company's suppression list. */
async function splitRecipients(db: Db, due: DueEmail[]): Promise<AddressedEmail[]> {
  const asked = due.flatMap((email) =>
    uniqueRecipients(email).map((address) => ({ companyId: email.companyId, email: address })),
  );
  const found = await findSuppressed(db, asked);
  const reasons = new Map(
    found.map(({ companyId, email, reason }) => [`${companyId} ${email}`, reason]),
  );
  return due.map((email) => {
    const { companyId, isTest } = email;
    const listed = (address: string) => reasons.get(`${companyId} ${address}`);
    return { email, ...splitSuppressed(uniqueRecipients(email), { isTest, listed }) };
  });
}

const uniqueRecipients = ({ to, cc, bcc }: DueEmail) => [...new Set([...to, ...cc, ...bcc])];
