import { and, asc, count, desc, eq, inArray, isNotNull, lt, or, sql } from "drizzle-orm";

import {
  type MailboxImport,
  type MailboxImportLine,
  mailboxImportLines,
  mailboxImports,
} from "#drizzle/schema/index.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import {
  type CheckedLine,
  checkImport,
  createImportUnits,
  type ImportLine,
} from "./check-import.ts";

/** A statement can have 65,535 parameters. */
const ROWS_PER_INSERT = 1_000;

const LISTED_MAX = 20;
const PROBLEMS_MAX = 500;

export type NewMailboxImport = {
  /** `number` is the line's number in the file. */
  lines: (ImportLine & { number: number })[];
  /** Creates units that don't exist. */
  createsUnits: boolean;
};

/**
 * Starts an import of mailboxes. The worker runs it with the privileges that the admin has at that time. Lines with problems
 * are kept, but not imported.
 *
 * @returns its ID
 * @throws Refusal `not_allowed` if the company can't create mailboxes; as `createUnit`
 */
export async function startMailboxImport(
  ctx: Context,
  admin: SignedIn,
  { lines, createsUnits }: NewMailboxImport,
): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    const before = await checkImport(ctx, admin, lines, { createsUnits });
    if (before.blocked !== null) throw new Refusal("not_allowed", before.blocked);
    const hasNewUnits = createsUnits && before.missingUnits.length > 0;
    if (hasNewUnits) await createImportUnits(ctx, before.missingUnits);
    const { lines: checked } = hasNewUnits ? await checkImport(ctx, admin, lines) : before;
    const [row] = await ctx.db
      .insert(mailboxImports)
      .values({ companyId: ctx.companyId, ...runningFor(admin) })
      .returning({ id: mailboxImports.id });
    const importId = row!.id;
    const rows = lines.map((line, position) => ({
      importId,
      position,
      number: line.number,
      ...toRow(line, checked[position]!),
    }));
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
      await ctx.db.insert(mailboxImportLines).values(rows.slice(at, at + ROWS_PER_INSERT));
    await recordAudit(ctx, "mailbox_import.started", { lines: lines.length });
    await enqueue(ctx.db, "import_mailboxes", { id: importId });
    return importId;
  });
}

/** An import that runs with the privileges of this admin. */
const runningFor = (admin: SignedIn) => ({
  adminId: admin.id,
  startedBy: admin.email,
  isConfined: admin.providerId !== null,
  state: "running" as const,
  problem: null,
  finishedAt: null,
});

const toRow = (
  line: ImportLine,
  { address, outcome, unit, aliases, instructionsTo, problems }: CheckedLine,
) => ({
  address: address ?? line.email,
  name: line.name,
  quotaMb: outcome === "new" ? (line.quotaMb ?? null) : null,
  orgUnitId: unit?.id ?? null,
  aliases,
  privateAddress: outcome === "new" ? instructionsTo : null,
  state: stateOf(outcome, aliases),
  problem:
    problems.map(({ field, message }) => describeImportProblem(field, message)).join(". ") || null,
});

function stateOf(outcome: CheckedLine["outcome"], aliases: string[]): MailboxImportLine["state"] {
  if (outcome === "refused") return "skipped";
  return outcome === "exists" && aliases.length === 0 ? "updated" : "waiting";
}

const FIELDS = {
  email: "Address",
  name: "Name",
  quota_mb: "Storage limit",
  unit: "Unit",
  aliases: "Aliases",
  instructions_to: "Private address",
  status: "Status",
};

/** Prefixes the field's name, unless the message is a whole sentence. */
export function describeImportProblem(field: keyof typeof FIELDS, message: string): string {
  if (message.startsWith("Missing required field")) return `${FIELDS[field]} is required`;
  return /^[a-z']+ /.test(message) ? `${FIELDS[field]} ${message}` : message;
}

export type ShownMailboxImport = Pick<
  MailboxImport,
  "id" | "startedBy" | "state" | "problem" | "createdAt" | "finishedAt"
> & {
  total: number;
  waiting: number;
  created: number;
  failed: number;
  skipped: number;
  /** Created mailboxes whose users were emailed a link to set the password. */
  invited: number;
  /** Temporary passwords that the caller can read and hasn't saved. */
  passwords: number;
};

const { id, adminId, startedBy, state, problem, createdAt, finishedAt } = mailboxImports;

const inState = (name: string) =>
  count(sql`case when ${mailboxImportLines.state} = ${sql.raw(`'${name}'`)} then 1 end`);

/** The admin who reads or changes imports. */
type ImportViewer = Pick<SignedIn, "id" | "privileges">;

/** An admin who can create mailboxes only in some units sees only their own imports, because others name mailboxes of any unit. */
const visibleTo = (ctx: Context, admin: ImportViewer) =>
  and(
    eq(mailboxImports.companyId, ctx.companyId),
    admin.privileges.has("create_users") ? undefined : eq(adminId, admin.id),
  );

/** The latest imports that the admin can see, newest first. */
export async function listMailboxImports(
  ctx: Context,
  admin: ImportViewer,
  only?: string,
): Promise<ShownMailboxImport[]> {
  const isVisible = visibleTo(ctx, admin);
  const latest = ctx.db
    .select({ id })
    .from(mailboxImports)
    .where(only === undefined ? isVisible : and(isVisible, eq(id, only)))
    .orderBy(desc(createdAt))
    .limit(LISTED_MAX);
  return ctx.db
    .select({
      id,
      startedBy,
      state,
      problem,
      createdAt,
      finishedAt,
      total: count(),
      waiting: inState("waiting"),
      created: inState("created"),
      failed: inState("failed"),
      skipped: inState("skipped"),
      invited: sql<number>`count(${mailboxImportLines.privateAddress})
        filter (where ${mailboxImportLines.state} = 'created')`.mapWith(Number),
      passwords: sql<number>`case when ${adminId} = ${admin.id}
        then count(${mailboxImportLines.sealedPassword}) else 0 end`.mapWith(Number),
    })
    .from(mailboxImports)
    .innerJoin(mailboxImportLines, eq(mailboxImportLines.importId, id))
    .where(inArray(id, latest))
    .groupBy(id)
    .orderBy(desc(createdAt));
}

/** A line that wasn't imported. */
export type LineProblem = { number: number; address: string; problem: string | null };

/** @throws Refusal `not_found` */
export async function getMailboxImport(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
): Promise<ShownMailboxImport & { problems: LineProblem[] }> {
  const [shown] = await listMailboxImports(ctx, admin, importId);
  if (!shown) throw importNotFound();
  const { number, address, position } = mailboxImportLines;
  const problems = await ctx.db
    .select({ number, address, problem: mailboxImportLines.problem })
    .from(mailboxImportLines)
    .where(
      and(
        eq(mailboxImportLines.importId, importId),
        inArray(mailboxImportLines.state, ["failed", "skipped"]),
      ),
    )
    .orderBy(asc(position))
    .limit(PROBLEMS_MAX);
  return { ...shown, problems };
}

const importNotFound = () => new Refusal("not_found", "Import not found");

/** @throws Refusal `not_found` */
async function lockMailboxImport(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
): Promise<MailboxImport> {
  const [row] = await ctx.db
    .select()
    .from(mailboxImports)
    .where(and(eq(id, importId), visibleTo(ctx, admin)))
    .for("update");
  if (!row) throw importNotFound();
  return row;
}

/**
 * Stops an import after the lines in progress. What was created stays.
 *
 * @throws Refusal `not_found`
 */
export async function stopMailboxImport(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockMailboxImport(ctx, admin, importId);
    if (row.state === "running") await endImport(ctx, importId, { state: "stopped" });
  });
}

/**
 * Marks an import as ended, in the caller's transaction.
 *
 * @param ended.problem why it can't continue
 */
export async function endImport(
  ctx: Context,
  importId: string,
  ended: { state: "stopped" | "done"; problem?: string },
): Promise<void> {
  await ctx.db
    .update(mailboxImports)
    .set({ problem: null, ...ended, finishedAt: sql`clock_timestamp()` })
    .where(eq(id, importId));
  const created = await ctx.db.$count(
    mailboxImportLines,
    and(eq(mailboxImportLines.importId, importId), eq(mailboxImportLines.state, "created")),
  );
  const action = ended.state === "done" ? "mailbox_import.finished" : "mailbox_import.stopped";
  await recordAudit(ctx, action, { created });
}

/**
 * Continues a stopped import, and retries failed lines. From then on it runs with the caller's privileges.
 *
 * @throws Refusal `not_found`; `invalid_permission` while the passwords of another admin's import haven't been saved
 */
export async function resumeMailboxImport(
  ctx: Context,
  admin: SignedIn,
  importId: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockMailboxImport(ctx, admin, importId);
    if (row.state === "running") return;
    const of = eq(mailboxImportLines.importId, importId);
    const passwords = await ctx.db.$count(mailboxImportLines, hasPassword(importId));
    if (row.adminId !== admin.id && passwords > 0)
      throw new Refusal(
        "invalid_permission",
        `${row.startedBy} hasn't saved the temporary passwords of this import yet. Ask them to continue it, or import the remaining lines`,
      );
    await ctx.db
      .update(mailboxImportLines)
      .set({ state: "waiting", problem: null })
      .where(and(of, eq(mailboxImportLines.state, "failed")));
    await ctx.db.update(mailboxImports).set(runningFor(admin)).where(eq(id, importId));
    const lines = await ctx.db.$count(
      mailboxImportLines,
      and(of, eq(mailboxImportLines.state, "waiting")),
    );
    await recordAudit(ctx, "mailbox_import.started", { lines });
    await enqueue(ctx.db, "import_mailboxes", { id: importId });
  });
}

const hasPassword = (importId: string) =>
  and(eq(mailboxImportLines.importId, importId), isNotNull(mailboxImportLines.sealedPassword));

/**
 * The temporary passwords of an import that the caller started, until they are erased.
 *
 * @throws Refusal `not_found`, also for other admins; `invalid_permission` as `requireMayOpen`
 */
export async function readImportPasswords(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
): Promise<{ address: string; name: string; password: string }[]> {
  await requireOwnImport(ctx, admin, importId);
  const { address, name, sealedPassword, position } = mailboxImportLines;
  const rows = await ctx.db
    .select({ address, name, sealedPassword })
    .from(mailboxImportLines)
    .where(hasPassword(importId))
    .orderBy(asc(position));
  await requireMayOpen(
    ctx,
    rows.map(({ address }) => address),
  );
  return rows.map(({ sealedPassword: sealed, ...line }) => ({
    ...line,
    password: unseal("temporary_password", sealed!),
  }));
}

/**
 * Erases temporary passwords that the admin has saved.
 *
 * @param addresses of the mailboxes whose passwords were shown
 * @throws Refusal `not_found`, also for other admins
 */
export async function eraseImportPasswords(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
  addresses: string[],
): Promise<void> {
  await requireOwnImport(ctx, admin, importId);
  await ctx.db.execute(sql`
    update mailbox_import_lines set sealed_password = null
    where import_id = ${importId} and address in (
      select jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb))`);
}

async function requireOwnImport(
  ctx: Context,
  admin: ImportViewer,
  importId: string,
): Promise<void> {
  const row = await lockMailboxImport(ctx, admin, importId);
  if (row.adminId !== admin.id) throw importNotFound();
}

/** Whether the caller started an import that runs or has passwords to save. */
export async function hasOpenImport(ctx: Context, admin: Pick<SignedIn, "id">): Promise<boolean> {
  const [open] = await ctx.db
    .select({ id })
    .from(mailboxImports)
    .where(
      and(
        eq(adminId, admin.id),
        eq(mailboxImports.companyId, ctx.companyId),
        or(
          eq(state, "running"),
          sql`exists (select from mailbox_import_lines l
            where l.import_id = ${id} and l.sealed_password is not null)`,
        ),
      ),
    )
    .limit(1);
  return open !== undefined;
}

/** Erases the temporary passwords of imports that ended `days` ago. */
export async function erasePasswordsOfImports(db: Db, days: number): Promise<void> {
  const old = db.select({ id }).from(mailboxImports).where(endedBefore(days));
  await db
    .update(mailboxImportLines)
    .set({ sealedPassword: null })
    .where(
      and(isNotNull(mailboxImportLines.sealedPassword), inArray(mailboxImportLines.importId, old)),
    );
}

/** Deletes imports that ended `days` ago. The mailboxes stay. */
export async function deleteOldImports(db: Db, days: number): Promise<void> {
  await db.delete(mailboxImports).where(endedBefore(days));
}

const endedBefore = (days: number) =>
  lt(finishedAt, sql`statement_timestamp() - make_interval(days => ${days})`);
