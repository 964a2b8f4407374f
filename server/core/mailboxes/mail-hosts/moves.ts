import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { mailboxes, mailboxMoves, mailHosts, removedStores } from "#drizzle/schema/index.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { type LocatedMailbox, lockLocation } from "./dovecots.ts";

/**
 * Requests the move of a mailbox to another mail host, which its current host then carries out. Until the switch,
 * another request replaces this one, and a request for the current host cancels it.
 *
 * @param actor recorded in the audit log of the mailbox's company
 * @throws Refusal `not_found` for the mailbox, `invalid` for the host, or while an earlier move isn't finished
 */
export async function requestMove(
  { db, actor }: Pick<Context, "db" | "actor">,
  named: string,
  toHost: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const mailbox = await lockLocation(tx, named);
    const { address, companyId } = mailbox;
    const ctx = createContext(tx, companyId, actor);
    const fromHost = await requireHosts(tx, mailbox, toHost);
    if (await isUnderWay(tx, address, toHost)) return;
    await cancelMove(ctx, mailbox);
    if (fromHost === toHost) return;
    await requireNoOldCopy(tx, mailbox, toHost);
    await tx.insert(mailboxMoves).values({ mailbox: address, fromHost, toHost });
    await recordAudit(ctx, "mailbox.move_started", {
      mailbox: address,
      from: fromHost,
      to: toHost,
    });
  });
}

async function requireHosts(
  db: Db,
  { address, storeHost }: LocatedMailbox,
  toHost: string,
): Promise<string> {
  const known = await db.select({ name: mailHosts.name }).from(mailHosts);
  if (!known.some(({ name }) => name === toHost))
    throw new Refusal("invalid", `Mail host ${toHost} not found. ${nameHosts(known)}`);
  if (storeHost === null)
    throw new Refusal(
      "invalid",
      `${address} isn't on a named mail host yet. Start the host that stores it with POSTHOUSE_MAIL_HOST first`,
    );
  return storeHost;
}

const nameHosts = (hosts: { name: string }[]) =>
  hosts.length === 0
    ? "Set POSTHOUSE_MAIL_HOST on each mail host to name it"
    : `Mail hosts: ${hosts.map(({ name }) => name).join(", ")}`;

const isBeforeSwitch = (mailbox: string) =>
  and(eq(mailboxMoves.mailbox, mailbox), isNull(mailboxMoves.switchedAt));

async function isUnderWay(db: Db, mailbox: string, toHost: string): Promise<boolean> {
  const same = and(isBeforeSwitch(mailbox), eq(mailboxMoves.toHost, toHost));
  return (await db.$count(mailboxMoves, same)) > 0;
}

/** The target host deletes its incomplete copy in the background. */
async function cancelMove(ctx: Context, { address, store }: LocatedMailbox): Promise<void> {
  const [canceled] = await ctx.db
    .delete(mailboxMoves)
    .where(isBeforeSwitch(address))
    .returning({ from: mailboxMoves.fromHost, to: mailboxMoves.toHost });
  if (!canceled) return requireNoEarlierMove(ctx.db, address);
  await ctx.db
    .insert(removedStores)
    .values({ store, address, storeHost: canceled.to })
    .onConflictDoNothing();
  await recordAudit(ctx, "mailbox.move_canceled", { mailbox: address, ...canceled });
}

async function requireNoEarlierMove(db: Db, mailbox: string): Promise<void> {
  const earlier = await findMove(db, mailbox);
  if (earlier)
    throw new Refusal(
      "invalid",
      `${mailbox} was just moved from ${earlier.fromHost}. Try again once the copy there is deleted, ${SETTLED_SECONDS / 60} minutes after the switch`,
    );
}

/** The target host may still be deleting an earlier copy; don't copy into it. */
async function requireNoOldCopy(
  db: Db,
  { address, store }: LocatedMailbox,
  toHost: string,
): Promise<void> {
  const old = and(eq(removedStores.store, store), eq(removedStores.storeHost, toHost));
  if ((await db.$count(removedStores, old)) > 0)
    throw new Refusal(
      "invalid",
      `An old copy of ${address} on ${toHost} is being deleted. Try again in a minute`,
    );
}

/** Longer than a delivery to the old host can take that had begun before the switch. */
const SETTLED_SECONDS = 600;

export type MailboxMove = typeof mailboxMoves.$inferSelect & {
  companyId: string;
  store: string;
  /** Deliveries to the old host have ended by now. */
  isSettled: boolean;
};

/** Switched: new mail arrives on the new host. Moved: all mail is there, and the old copy isn't deleted yet. */
export function stageOf({
  switchedAt,
  copiedAt,
}: Pick<MailboxMove, "switchedAt" | "copiedAt">): "copying" | "switched" | "moved" {
  if (switchedAt === null) return "copying";
  return copiedAt === null ? "switched" : "moved";
}

const selectMoves = (db: Db) =>
  db
    .select({
      mailbox: mailboxMoves.mailbox,
      fromHost: mailboxMoves.fromHost,
      toHost: mailboxMoves.toHost,
      requestedAt: mailboxMoves.requestedAt,
      switchedAt: mailboxMoves.switchedAt,
      copiedAt: mailboxMoves.copiedAt,
      problem: mailboxMoves.problem,
      companyId: mailboxes.companyId,
      store: mailboxes.store,
      isSettled: sql<boolean>`coalesce(${mailboxMoves.switchedAt} <
        statement_timestamp() - make_interval(secs => ${SETTLED_SECONDS}), false)`,
    })
    .from(mailboxMoves)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxMoves.mailbox));

/** The moves in progress, oldest first. */
export const listMoves = (db: Db, limit: number): Promise<MailboxMove[]> =>
  selectMoves(db).orderBy(asc(mailboxMoves.requestedAt)).limit(limit);

/** The moves that a mail host has to carry out, oldest first. */
export const listMovesFrom = (db: Db, host: string): Promise<MailboxMove[]> =>
  selectMoves(db).where(eq(mailboxMoves.fromHost, host)).orderBy(asc(mailboxMoves.requestedAt));

/** Null if the mailbox isn't being moved. */
export async function findMove(db: Db, mailbox: string): Promise<MailboxMove | null> {
  const [move] = await selectMoves(db).where(eq(mailboxMoves.mailbox, mailbox));
  return move ?? null;
}

/** Whether a mail host may get the mail of a mailbox: it stores it, or the mailbox is being moved there. */
export async function isStoreExpected(db: Db, host: string, store: string): Promise<boolean> {
  const [found] = await db.execute(sql`
    select from mailboxes left join mailbox_moves on mailbox = address
    where store = ${store} and ${host}::text in (store_host, to_host)`);
  return found !== undefined;
}

/** The row of a move, unless it was canceled or replaced meanwhile. */
const isSame = ({ mailbox, requestedAt }: MailboxMove) =>
  and(eq(mailboxMoves.mailbox, mailbox), eq(mailboxMoves.requestedAt, requestedAt));

const moveContext = (db: Db, { companyId }: MailboxMove) =>
  createContext(db, companyId, { kind: "system", task: "move_mailbox" });

const auditDetails = ({ mailbox, fromHost: from, toHost: to }: MailboxMove) => ({
  mailbox,
  from,
  to,
});

/**
 * Makes the new host the one that stores the mailbox: from this commit on, mail is delivered and users sign in there.
 *
 * @returns false if the move was canceled or replaced meanwhile
 */
export async function switchHost(db: Db, move: MailboxMove): Promise<boolean> {
  const { mailbox, fromHost, toHost } = move;
  return db.transaction(async (tx) => {
    const isStored = and(eq(mailboxes.address, mailbox), eq(mailboxes.storeHost, fromHost));
    // Before the move, as in `requestMove` and when the mailbox is deleted.
    await tx.select().from(mailboxes).where(isStored).for("no key update");
    const [switched] = await tx
      .update(mailboxMoves)
      .set({ switchedAt: sql`clock_timestamp()`, problem: null })
      .where(and(isSame(move), isNull(mailboxMoves.switchedAt)))
      .returning();
    if (!switched) return false;
    await tx.update(mailboxes).set({ storeHost: toHost }).where(isStored);
    await scheduleMailAppEnd(moveContext(tx, move), mailbox);
    return true;
  });
}

/** Records that all mail is on the new host. */
export async function recordCopied(db: Db, move: MailboxMove): Promise<void> {
  await db.transaction(async (tx) => {
    const [copied] = await tx
      .update(mailboxMoves)
      .set({ copiedAt: sql`clock_timestamp()`, problem: null })
      .where(and(isSame(move), isNull(mailboxMoves.copiedAt)))
      .returning();
    if (copied)
      await recordAudit(moveContext(tx, move), "mailbox.move_finished", auditDetails(move));
  });
}

/**
 * Records why an attempt failed. Only the first one in a row is in the audit log.
 *
 * @returns false if the move was canceled or replaced meanwhile, or the mailbox deleted
 */
export async function recordMoveProblem(
  db: Db,
  move: MailboxMove,
  problem: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [before] = await tx
      .select({ problem: mailboxMoves.problem })
      .from(mailboxMoves)
      .where(isSame(move))
      .for("update");
    if (!before) return false;
    await tx.update(mailboxMoves).set({ problem }).where(isSame(move));
    if (before.problem === null)
      await recordAudit(moveContext(tx, move), "mailbox.move_failed", auditDetails(move));
    return true;
  });
}

/** Ends a move: the old copy is deleted with the stores of deleted mailboxes. */
export async function finishMove(db: Db, move: MailboxMove): Promise<void> {
  const { mailbox, store, fromHost } = move;
  await db.transaction(async (tx) => {
    await tx.delete(mailboxMoves).where(isSame(move));
    await tx
      .insert(removedStores)
      .values({ store, address: mailbox, storeHost: fromHost })
      .onConflictDoNothing();
  });
}
