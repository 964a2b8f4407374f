import { randomUUID } from "node:crypto";

import { and, eq, gt, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm";

import { type MailImport, mailImports } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { createWake } from "#server/core/shared/wake.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

/** A killed process's imports are due again after this. Renewed with each batch, and by a timer. */
export const IMPORT_LEASE_SECONDS = 30;

/** Servers limit the connections of one address; each import takes one. */
const PER_HOST_MAX = 4;

/** Fewer than an importer runs at once, so that no company occupies it alone. */
const PER_COMPANY_MAX = 3;

/** The lease of an import that is running here. */
export type ImportLease = MailImport & { leasedBy: string };

/** The import was canceled, or its lease expired. */
export class ImportStopped extends Error {
  override name = "ImportStopped";
}

/** Postgres channel that notifies the workers of imports that are due. */
export const IMPORTS_CHANNEL = "mail_imports";

/** Makes a worker run the imports that are due now. It also looks when the next one is due, and every 30 seconds. */
export const wakeImporter = createWake(IMPORTS_CHANNEL);

/** How long until the next import is due; null if none is planned. */
export async function msUntilImportDue(db: Db): Promise<number | null> {
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from min(next_attempt_at) - statement_timestamp()) * 1000)::float8 as ms
    from mail_imports where state in ('queued', 'running')`);
  return row!.ms;
}

/**
 * Leases an import whose server isn't busy with others, and begins an attempt: of the companies with the fewest running
 * imports, the import that has been due longest.
 *
 * Each lease has its own id: one process runs several imports, and must not renew the lease of an earlier attempt.
 * A lease that expired counts as a failure: what a server sends may have ended the process.
 */
export function leaseImport(db: Db): Promise<ImportLease | null> {
  return db.transaction(async (tx) => {
    // So that concurrent importers count each other's imports.
    await lock(tx, "mailImports");
    const next = sql`(
      with running as materialized (
        select company_id, host from mail_imports
        where state = 'running' and next_attempt_at > statement_timestamp())
      select i.id from mail_imports i
      cross join lateral (
        select count(*) as count from running where running.company_id = i.company_id) of_company
      where i.state in ('queued', 'running') and i.next_attempt_at <= statement_timestamp()
        and of_company.count < ${PER_COMPANY_MAX}
        and (select count(*) from running where running.host = i.host) < ${PER_HOST_MAX}
      order by of_company.count, i.next_attempt_at limit 1 for update of i skip locked)`;
    const [leased] = await tx
      .update(mailImports)
      .set({
        state: "running",
        leasedBy: randomUUID(),
        nextAttemptAt: leaseEnd,
        passStartedAt: sql`clock_timestamp()`,
        messagesDone: 0,
        messagesBefore: 0,
        failures: sql`${mailImports.failures} + (${mailImports.state} = 'running')::int`,
      })
      .where(eq(mailImports.id, next))
      .returning();
    return leased ? (leased as ImportLease) : null;
  });
}

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${IMPORT_LEASE_SECONDS})`;

/**
 * When an import is due that is queued again. Requeuing and canceling keep `leased_by`: until its lease ends, an interrupted
 * attempt may still be saving a batch, which the next one would import again.
 */
export const requeuedAt = sql`case when mail_imports.leased_by is null then clock_timestamp()
  else greatest(mail_imports.next_attempt_at, clock_timestamp()) end`;

/** What must hold for each write of a running import. */
export const isLeased = ({ id, leasedBy }: ImportLease) =>
  and(eq(mailImports.id, id), eq(mailImports.leasedBy, leasedBy), eq(mailImports.state, "running"));

/** What each write of a running import sets, too. */
export const renewed = { nextAttemptAt: leaseEnd };

/** @throws ImportStopped */
export function requireLeased(updated: unknown[]): void {
  if (updated.length === 0) throw new ImportStopped("the import was canceled, or taken over");
}

/** @throws ImportStopped */
export async function renewLease(db: Db, lease: ImportLease): Promise<void> {
  const updated = await db
    .update(mailImports)
    .set(renewed)
    .where(isLeased(lease))
    .returning({ id: mailImports.id });
  requireLeased(updated);
}

/** Lets another process continue at once. */
export async function releaseImport(db: Db, lease: ImportLease): Promise<void> {
  await db
    .update(mailImports)
    .set({ state: "queued", leasedBy: null, nextAttemptAt: sql`clock_timestamp()` })
    .where(isLeased(lease));
}

/** Ends a pass over all folders. */
export async function finishImport(db: Db, lease: ImportLease): Promise<void> {
  await end(db, lease, { state: "done", problem: null, erasesSecret: !lease.keepsSecret });
}

/** Ends an import that can't continue until an admin changes something. */
export async function failImport(
  db: Db,
  lease: ImportLease,
  { problem, erasesSecret }: { problem: string; erasesSecret: boolean },
): Promise<void> {
  await end(db, lease, { state: "failed", problem, erasesSecret });
}

async function end(
  db: Db,
  lease: ImportLease,
  {
    erasesSecret,
    ...ended
  }: { state: "done" | "failed"; problem: string | null; erasesSecret: boolean },
): Promise<void> {
  const { companyId, mailbox, host, account } = lease;
  await db.transaction(async (tx) => {
    const updated = await tx
      .update(mailImports)
      .set({
        ...ended,
        leasedBy: null,
        finishedAt: sql`clock_timestamp()`,
        failures: 0,
        ...(erasesSecret && { sealedSecret: null }),
      })
      .where(isLeased(lease))
      .returning({ imported: mailImports.messagesImported });
    if (!updated[0]) return;
    const ctx = createContext(tx, companyId, { kind: "system", task: "import_mail" });
    const action = ended.state === "done" ? "mail_import.finished" : "mail_import.failed";
    await recordAudit(ctx, action, { mailbox, host, account, messages: updated[0].imported });
  });
}

/** Ends an attempt; another one is due after `delayMs`. */
export async function retryImport(
  db: Db,
  lease: ImportLease,
  { problem, delayMs }: { problem: string; delayMs: number },
): Promise<void> {
  await db
    .update(mailImports)
    .set({
      state: "queued",
      leasedBy: null,
      problem,
      failures: sql`${mailImports.failures} + 1`,
      nextAttemptAt: sql`clock_timestamp() + make_interval(secs => ${delayMs / 1_000})`,
    })
    .where(isLeased(lease));
}

const isOld = (
  moment: typeof mailImports.finishedAt | typeof mailImports.progressedAt,
  days: number,
): SQL => lt(moment, sql`statement_timestamp() - make_interval(days => ${days})`);

/**
 * Erases the passwords of imports that ended `days` ago, and ends imports whose attempts have imported nothing for as long,
 * with their passwords.
 *
 * @returns the number of these imports
 */
export async function eraseOldSecrets(db: Db, days: number): Promise<number> {
  const erased = await db
    .update(mailImports)
    .set({ sealedSecret: null })
    .where(
      and(
        isNotNull(mailImports.sealedSecret),
        inArray(mailImports.state, ["done", "failed", "canceled"]),
        isOld(mailImports.finishedAt, days),
      ),
    )
    .returning({ id: mailImports.id });
  return erased.length + (await endStalled(db, days));
}

/** A server can ask for a pause again and again. An import that waits for its first attempt isn't stalled. */
function endStalled(db: Db, days: number): Promise<number> {
  const isStalled = and(
    eq(mailImports.state, "queued"),
    gt(mailImports.failures, 0),
    isOld(mailImports.progressedAt, days),
  );
  const problem = sql`concat_ws(' ', ${`No message could be imported for ${days} days.`}::text, ${mailImports.problem})`;
  return db.transaction(async (tx) => {
    const ended = await tx
      .update(mailImports)
      .set({
        state: "failed",
        problem,
        failures: 0,
        sealedSecret: null,
        finishedAt: sql`clock_timestamp()`,
      })
      .where(isStalled)
      .returning();
    for (const { companyId, mailbox, host, account, messagesImported: messages } of ended) {
      const ctx = createContext(tx, companyId, { kind: "system", task: "import_mail" });
      await recordAudit(ctx, "mail_import.failed", { mailbox, host, account, messages });
    }
    return ended.length;
  });
}
