import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";

import {
  type MailboxImport,
  type MailboxImportLine,
  mailboxes,
  mailboxImportLines,
  mailboxImports,
} from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { readCallerPrivileges } from "#server/core/access/privileges/grants.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { addParsedAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { readNewName } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { newTemporaryPassword } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { insertMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { requireRoom } from "#server/core/mailboxes/mailboxes/plan-room.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { sendPasswordLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import {
  type Context,
  createContext,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { Refusal, type RefusalReason } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { withoutField } from "./check-import.ts";
import { endImport } from "./mailbox-imports.ts";

/** Mailboxes per transaction, which locks the company. */
const BATCH = 25;

/** After this long, the import goes to the end of the queue, so that it doesn't delay others or the worker's shutdown. */
const SLICE_MS = 10_000;

/** How long an import waits if the mail server is down, or the hour's links have all been sent. */
const DELAYS_MS: Partial<Record<RefusalReason, number>> = {
  mail_server_error: 10_000,
  rate_limit_exceeded: 300_000,
};

/** After this many, the import stops until an admin continues it. graphile-worker spreads them over half an hour. */
const ATTEMPTS_MAX = 8;

/**
 * Runs an import for a few seconds, and enqueues it again if lines remain. A line's result is committed with its mailbox, so
 * that a killed process neither repeats nor loses any.
 */
export async function runMailboxImport(
  db: Db,
  id: string,
  { sliceMs = SLICE_MS, attempt = 1 } = {},
): Promise<void> {
  try {
    await runSlice(db, id, performance.now() + sliceMs);
  } catch (error) {
    if (attempt < ATTEMPTS_MAX) await showProblem(db, id, "Internal error");
    else await end(db, id, { state: "stopped", problem: "Internal error" });
    // The queue logs it, and retries the job.
    throw error;
  }
}

async function runSlice(db: Db, id: string, endsAt: number): Promise<void> {
  let batch = await prepareBatch(db, id, -1);
  while (batch.length > 0) {
    const last = batch.at(-1)!.position;
    // Hashes the next passwords while Postgres works on this batch.
    const [outcome, next] = await Promise.all([
      importBatch(db, id, batch),
      prepareBatch(db, id, last),
    ]);
    if (outcome !== "continue") return;
    if (next.length > 0 && performance.now() > endsAt) {
      await enqueue(db, "import_mailboxes", { id });
      return;
    }
    batch = next;
  }
  await end(db, id, { state: "done" });
}

type PreparedLine = MailboxImportLine & {
  /** Null for an existing mailbox, which only gets its aliases. */
  password: { text: string; hash: string } | null;
};

async function prepareBatch(db: Db, id: string, after: number): Promise<PreparedLine[]> {
  const { importId, position, state } = mailboxImportLines;
  const lines = await db
    .select()
    .from(mailboxImportLines)
    .where(and(eq(importId, id), eq(state, "waiting"), gt(position, after)))
    .orderBy(asc(position))
    .limit(BATCH);
  const addresses = lines.map(({ address }) => address);
  const existing = await db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(inArray(mailboxes.address, addresses));
  const known = new Set(existing.map(({ address }) => address));
  // Argon2 runs in threads.
  return Promise.all(
    lines.map(async (line) => {
      if (known.has(line.address)) return { ...line, password: null };
      const text = newTemporaryPassword();
      return { ...line, password: { text, hash: await hashPassword(text) } };
    }),
  );
}

/** `sentBy` is the admin named in the email with the link. */
type LineToImport = PreparedLine & { sentBy: string };

type Result = Pick<MailboxImportLine, "position" | "state" | "problem" | "sealedPassword">;

async function importBatch(
  db: Db,
  id: string,
  batch: PreparedLine[],
): Promise<"continue" | "ended" | "delayed"> {
  const requireAnswer = await checkMailServer({ db });
  try {
    return await db.transaction(async (tx) => {
      const row = await lockRunning(tx, id);
      if (!row) return "ended";
      const ctx = contextOf(tx, row);
      const { suspendedAt } = await lockCompany(ctx);
      const privileges = await readCallerPrivileges(ctx);
      if (suspendedAt !== null || !privileges) {
        const problem = privileges
          ? "The company is suspended"
          : `${row.startedBy} is no longer an admin of the company`;
        await endImport(ctx, id, { state: "stopped", problem });
        return "ended";
      }
      const waiting = await findWaiting(tx, id, batch);
      const lines = batch
        .filter(({ position }) => waiting.has(position))
        .map((line) => ({ ...line, sentBy: row.startedBy }));
      await record(tx, id, await importLines(ctx, privileges, lines));
      if (row.problem !== null)
        await tx.update(mailboxImports).set({ problem: null }).where(eq(mailboxImports.id, id));
      requireAnswer();
      return "continue";
    });
  } catch (error) {
    const delayMs = delayFor(error);
    if (delayMs === undefined) throw error;
    // The first sentence says what happened.
    await showProblem(db, id, (error as Refusal).message.split(". ")[0]!);
    await enqueue(db, "import_mailboxes", { id }, { runAt: new Date(Date.now() + delayMs) });
    return "delayed";
  }
}

const delayFor = (error: unknown): number | undefined =>
  error instanceof Refusal ? DELAYS_MS[error.reason] : undefined;

async function lockRunning(db: Db, id: string): Promise<MailboxImport | undefined> {
  const [row] = await db
    .select()
    .from(mailboxImports)
    .where(and(eq(mailboxImports.id, id), eq(mailboxImports.state, "running")))
    .for("update");
  return row;
}

function contextOf(db: Db, { companyId, adminId, startedBy, isConfined }: MailboxImport): Context {
  if (adminId === null)
    return createContext(db, companyId, { kind: "system", task: "import_mailboxes" });
  return createContext(db, companyId, { kind: "admin", adminId, email: startedBy, isConfined });
}

/** Another run may have imported the lines since they were read. */
async function findWaiting(db: Db, id: string, batch: PreparedLine[]): Promise<Set<number>> {
  const { importId, position, state } = mailboxImportLines;
  const positions = batch.map((line) => line.position);
  const rows = await db
    .select({ position })
    .from(mailboxImportLines)
    .where(and(eq(importId, id), eq(state, "waiting"), inArray(position, positions)));
  return new Set(rows.map((row) => row.position));
}

/** Imports lines together, which takes a third of the queries. If one of them fails, each is imported on its own. */
async function importLines(
  ctx: Context,
  privileges: HeldPrivileges,
  lines: LineToImport[],
): Promise<Result[]> {
  const results: Result[] = [];
  try {
    await inTransaction(ctx, async (ctx) => {
      await requireRoom(ctx, lines.filter(({ password }) => password !== null).length);
      const options = { once: readOnce(), hasRoom: true };
      for (const line of lines) results.push(await importLine(ctx, privileges, line, options));
    });
    return results;
  } catch (error) {
    if (!(error instanceof Refusal) || delayFor(error) !== undefined) throw error;
  }
  const single: Result[] = [];
  for (const line of lines) single.push(await tryLine(ctx, privileges, line));
  return single;
}

function readOnce() {
  const known = new Map<string, unknown>();
  return async <T>(what: string, read: () => Promise<T>): Promise<T> => {
    if (!known.has(what)) known.set(what, await read());
    return known.get(what) as T;
  };
}

/** Imports a line completely or not at all. */
async function tryLine(
  ctx: Context,
  privileges: HeldPrivileges,
  line: LineToImport,
): Promise<Result> {
  try {
    return await inTransaction(ctx, (ctx) => importLine(ctx, privileges, line));
  } catch (error) {
    if (!(error instanceof Refusal) || delayFor(error) !== undefined) throw error;
    const { position } = line;
    return {
      position,
      state: "failed",
      problem: withoutField(error.message),
      sealedPassword: null,
    };
  }
}

async function importLine(
  ctx: Context,
  privileges: HeldPrivileges,
  { position, address, aliases, password, privateAddress: to, sentBy, ...line }: LineToImport,
  options?: Parameters<typeof insertMailbox>[3],
): Promise<Result> {
  if (!password) {
    for (const alias of aliases) await addParsedAlias(ctx, privileges, address, alias);
    return { position, state: "updated", problem: null, sealedPassword: null };
  }
  const mailbox = {
    address,
    name: readNewName(line),
    asked: line.quotaMb ?? undefined,
    orgUnitId: line.orgUnitId,
    aliases,
    passwordHash: password.hash,
  };
  await insertMailbox(ctx, privileges, mailbox, options);
  if (to !== null) await sendPasswordLink(ctx, address, { to, sentBy });
  const sealedPassword = to === null ? seal("temporary_password", password.text) : null;
  return { position, state: "created", problem: null, sealedPassword };
}

async function record(db: Db, id: string, results: Result[]): Promise<void> {
  await db.execute(sql`
    update mailbox_import_lines l
    set state = r.state, problem = r.problem, sealed_password = r."sealedPassword"
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as r(position int, state text, problem text, "sealedPassword" text)
    where l.import_id = ${id} and l.position = r.position`);
}

/** Says why the import waits. */
async function showProblem(db: Db, id: string, problem: string): Promise<void> {
  await db
    .update(mailboxImports)
    .set({ problem: `${problem}. Retrying` })
    .where(and(eq(mailboxImports.id, id), eq(mailboxImports.state, "running")));
}

async function end(db: Db, id: string, ended: Parameters<typeof endImport>[2]): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await lockRunning(tx, id);
    const { importId, state } = mailboxImportLines;
    const left = await tx.$count(mailboxImportLines, and(eq(importId, id), eq(state, "waiting")));
    // It may have been stopped and continued meanwhile.
    if (row && (left === 0 || ended.state === "stopped"))
      await endImport(contextOf(tx, row), id, ended);
  });
}
