import { and, eq, isNotNull, sql, type SQL } from "drizzle-orm";

import { companies, queueHolds } from "#drizzle/schema/index.ts";
import { parseDomainName } from "#server/core/domains/domains/parse-domain-name.ts";
import {
  applianceContext,
  type Operator,
  operatorContext,
} from "#server/core/operations/companies/operators.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { TEST_DESTINATION, wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import type { LeasedTable } from "#server/core/sending/outbox/email-leases.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, inTransaction } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

const REASON_MAX = 300;

/**
 * Puts all mail to a destination or from a company on hold. Takes effect within two seconds; deliveries in progress
 * still complete. If the subject is already on hold, replaces the reason.
 *
 * @throws Refusal `invalid`, `not_found`
 */
export async function hold(
  operator: Operator,
  asked: Subject & { reason: string },
): Promise<Subject> {
  const { kind, subject, name } = await readSubject(operator.db, asked);
  const reason = readReason(asked.reason);
  const ctx = await auditContext(operator, { kind, subject });
  await inTransaction(ctx, async (ctx) => {
    await ctx.db
      .insert(queueHolds)
      .values({ kind, subject, reason, heldBy: operator.email })
      .onConflictDoUpdate({
        target: [queueHolds.kind, queueHolds.subject],
        set: { reason, heldBy: operator.email },
      });
    await recordAudit(ctx, "queue.held", { kind, name, reason });
  });
  return { kind, subject };
}

/**
 * Ends a hold: parked mail is due at once, and its retries start over. Mail that another hold covers
 * stays on hold.
 *
 * @throws Refusal `invalid`, `not_found` if it isn't on hold, `not_allowed` for a suspended company
 */
export async function release(operator: Operator, asked: Subject): Promise<void> {
  const { kind, subject, name } = await readSubject(operator.db, asked);
  const ctx = await auditContext(operator, { kind, subject });
  await inTransaction(ctx, async (ctx) => {
    const [ended] = await ctx.db
      .delete(queueHolds)
      .where(and(eq(queueHolds.kind, kind), eq(queueHolds.subject, subject)))
      .returning({ id: queueHolds.id });
    if (!ended) throw await notOnHoldError(ctx.db, { kind, subject, name });
    await recordAudit(ctx, "queue.released", { kind, name });
  });
  wakePump(operator.db);
  wakeMessages(operator.db);
}

async function notOnHoldError(db: Db, { kind, subject, name }: Subject & { name: string }) {
  if (kind === "company" && (await isSuspended({ db, companyId: subject })))
    return new Refusal("not_allowed", `${name} is suspended. Restore it to release its mail`);
  return new Refusal("not_found", `${name} is not on hold`);
}

/** The context for the audit log entry: the company's, or the appliance's for a destination. */
export const auditContext = (operator: Operator, { kind, subject }: Subject) =>
  kind === "company" ? operatorContext(operator, subject) : applianceContext(operator);

const readReason = (text: string): string =>
  readOneLine(text, "reason", { min: 0, max: REASON_MAX });

/**
 * Parks leased rows that turned out to be on hold: `next_attempt_at` is infinity until the hold ends, so that leasing
 * skips them. Skips rows that `owner` no longer leases.
 */
export async function park(
  db: Db,
  owner: string,
  rowIds: string[],
  queue: LeasedTable,
): Promise<void> {
  if (rowIds.length === 0) return;
  await db.execute(sql`
    update ${sql.identifier(queue)}
    set next_attempt_at = 'infinity', lease_until = null, lease_owner = null
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(rowIds)}::jsonb)))
      and lease_owner = ${owner}::uuid`);
}

const BATCH = 2_000;

/**
 * Makes a batch of parked rows that are no longer on hold due at once. Their retries start over, so that
 * they don't bounce because of the time on hold.
 */
export async function unpark(
  db: Db,
  queue: LeasedTable,
): Promise<{ rows: number; isDone: boolean }> {
  const isHeld = sql`(
    q.destination in (select subject from queue_holds where kind = 'destination')
    or ${rowCompanyId(queue)} in ${listHeldCompanies})`;
  const rows = await db.execute(sql`
    with free as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and next_attempt_at = 'infinity'
        ${queue === "outbox" ? sql`` : sql`and state = 'queued'`} and not ${isHeld}
      limit ${BATCH} for update skip locked
    )
    update ${sql.identifier(queue)}
    set next_attempt_at = clock_timestamp(), created_at = clock_timestamp()
    where id = any(array(select id from free)) returning id`);
  return { rows: rows.length, isDone: rows.length < BATCH };
}

/** Recorded instead of an operator, so that only a restore's holds are listed and released together. */
const RESTORE = "posthouse restore";

/** A company with mail on hold since a restore, in recipients and scheduled emails. */
export type RestoredHold = { id: string; name: string; queued: number; scheduled: number };

/**
 * Puts the outgoing mail of each company on hold that has mail waiting in a restored database: it may have been sent or
 * canceled after the restore point. The appliance's own notices go out: one that comes twice does no harm.
 *
 * @param restorePoint the time of the restored data, in ISO 8601
 * @returns the companies' names
 */
export async function holdRestored(db: Db, restorePoint: string): Promise<string[]> {
  const operator = { db, now: () => new Date(), email: RESTORE };
  const time = `${restorePoint.slice(0, 16).replace("T", " ")} UTC`;
  const reason = `Restored to ${time}. Mail that was waiting may have been sent or canceled since then`;
  const found = await listWaiting(
    db,
    sql`c.purpose <> 'platform'
    and not exists (select from queue_holds h where h.kind = 'company' and h.subject = c.id::text)`,
  );
  for (const { id } of found) await hold(operator, { kind: "company", subject: id, reason });
  return found.map(({ name }) => name);
}

/** The companies whose mail is on hold since a restore. */
export const listRestoredHolds = (db: Db): Promise<RestoredHold[]> =>
  listWaiting(
    db,
    sql`c.id::text in (
      select subject from queue_holds where kind = 'company' and held_by = ${RESTORE})`,
    { isEmptyListed: true },
  );

/** Ends all holds of a restore. Returns the companies' names. */
export async function releaseRestored(db: Db): Promise<string[]> {
  const found = await listRestoredHolds(db);
  const operator = { db, now: () => new Date(), email: RESTORE };
  for (const { id } of found) await release(operator, { kind: "company", subject: id });
  // Holds of companies that were deleted since.
  await db.delete(queueHolds).where(eq(queueHolds.heldBy, RESTORE));
  return found.map(({ name }) => name);
}

function listWaiting(
  db: Db,
  isWanted: ReturnType<typeof sql>,
  { isEmptyListed = false } = {},
): Promise<RestoredHold[]> {
  return db.execute<RestoredHold>(sql`
    with waiting as materialized (
      select ${rowCompanyId("outbox")} as company_id, count(*) as queued, 0 as scheduled
      from outbox q where destination <> ${TEST_DESTINATION} group by 1
      union all
      select ${rowCompanyId("message_recipients")}, count(*), 0
      from message_recipients q where state = 'queued' group by 1
      union all
      select company_id, 0, count(*) from emails where due_at is not null and not is_test group by 1
    )
    select c.id, c.name, coalesce(sum(queued), 0)::int as queued, coalesce(sum(scheduled), 0)::int as scheduled
    from companies c left join waiting w on w.company_id = c.id
    where ${isWanted} group by c.id having ${isEmptyListed} or count(w) > 0
    order by lower(c.name), c.id`);
}

/** All mail to a destination, or all mail of a company. */
export type Subject = { kind: "destination" | "company"; subject: string };

/** A snapshot of what is on hold. */
export class Holds {
  readonly #subjects: ReadonlySet<string>;

  constructor(subjects: Subject[]) {
    this.#subjects = new Set(subjects.map(keyOf));
  }

  get isNone(): boolean {
    return this.#subjects.size === 0;
  }

  /** Whether the company's mail to the destination is on hold. */
  covers(companyId: string, destination: string): boolean {
    return (
      this.#subjects.has(keyOf({ kind: "company", subject: companyId })) ||
      this.#subjects.has(keyOf({ kind: "destination", subject: destination }))
    );
  }

  /** Whether `others` has a subject that isn't on hold here. */
  isLessThan(others: Holds): boolean {
    return [...others.#subjects].some((subject) => !this.#subjects.has(subject));
  }
}

const keyOf = ({ kind, subject }: Subject) => `${kind} ${subject}`;

/** IDs of companies whose mail is on hold, by an operator or by suspension. */
const listHeldCompanies = sql`(
  select subject::uuid from queue_holds where kind = 'company'
  union all select id from companies where suspended_at is not null)`;

/** The subjects that are currently on hold. */
export async function readHolds(db: Db): Promise<Holds> {
  const [holds, suspended] = await Promise.all([
    db.select({ kind: queueHolds.kind, subject: queueHolds.subject }).from(queueHolds),
    db.select({ id: companies.id }).from(companies).where(isNotNull(companies.suspendedAt)),
  ]);
  return new Holds([
    ...holds,
    ...suspended.map(({ id }) => ({ kind: "company" as const, subject: id })),
  ]);
}

/** Whether an operator has put the subject on hold, or its company is suspended. */
export async function isOnHold(db: Db, { kind, subject }: Subject): Promise<boolean> {
  const rows = await db.select().from(queueHolds).where(eq(queueHolds.subject, subject));
  return (
    rows.some((row) => row.kind === kind) ||
    (kind === "company" && isSuspended({ db, companyId: subject }))
  );
}

/** Whether the company is suspended. */
async function isSuspended(ctx: CompanyScope): Promise<boolean> {
  const [company] = await ctx.db
    .select({ suspendedAt: companies.suspendedAt })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  return Boolean(company?.suspendedAt);
}

/**
 * Validates a destination or company given by an operator.
 *
 * @returns the normalized subject and its display name
 * @throws Refusal `invalid` for the domain, `not_found` for the company
 */
export async function readSubject(
  db: Db,
  { kind, subject }: Subject,
): Promise<Subject & { name: string }> {
  if (kind === "destination") {
    const domain = readDestination(subject);
    return { kind, subject: domain, name: domain };
  }
  const [company] = isUuid(subject)
    ? await db
        .select({ id: companies.id, name: companies.name })
        .from(companies)
        .where(eq(companies.id, subject))
    : [];
  if (!company) throw new Refusal("not_found", "Company not found");
  return { kind, subject: company.id, name: company.name };
}

/** Also accepts local hostnames, which can't be created as domains. */
function readDestination(text: string): string {
  const name = text.trim().toLowerCase();
  if (/^([a-z0-9-]+\.)*localhost$/.test(name)) return name;
  return parseDomainName(name);
}

/**
 * The condition that a row of a queue with alias `q` belongs to a destination or company.
 *
 * @param subject the destination or the company's id
 */
export function matchesSubject(queue: LeasedTable, subject: SQL, kind: Subject["kind"]): SQL {
  if (kind === "destination") return sql`q.destination = ${subject}`;
  return sql`${rowCompanyId(queue)} = ${subject}`;
}

/** The company id of a row of a queue with alias `q`. */
export const rowCompanyId = (queue: LeasedTable): SQL =>
  queue === "outbox"
    ? sql`coalesce(q.company_id, (select company_id from emails where emails.id = q.email_id))`
    : sql`(select company_id from messages where messages.id = q.message_id)`;
