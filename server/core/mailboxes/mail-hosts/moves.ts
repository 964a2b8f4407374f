import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { mailboxes, mailboxMoves, mailHosts, removedStores } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** Longer than a delivery to the old host can take that had begun before the switch. */
const SETTLED_SECONDS = 600;

/** By then, a sign-in that was in progress at the switch has finished, and its session can be ended. */
const LATE_SIGN_IN_MS = 5_000;

export type MailboxMove = typeof mailboxMoves.$inferSelect & {
  store: string;
  /** Deliveries to the old host have ended by now. */
  isSettled: boolean;
};

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
      store: mailboxes.store,
      isSettled: sql<boolean>`coalesce(${mailboxMoves.switchedAt} <
        statement_timestamp() - make_interval(secs => ${SETTLED_SECONDS}), false)`,
    })
    .from(mailboxMoves)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxMoves.mailbox));

/** The moves that a mail host has to carry out, oldest first. */
export const listMovesFrom = (db: Db, host: string): Promise<MailboxMove[]> =>
  selectMoves(db).where(eq(mailboxMoves.fromHost, host)).orderBy(asc(mailboxMoves.requestedAt));

/** Null if the mailbox isn't being moved. */
export async function findMove(db: Db, mailbox: string): Promise<MailboxMove | null> {
  const [move] = await selectMoves(db).where(eq(mailboxMoves.mailbox, mailbox));
  return move ?? null;
}

/**
 * Requests that a mailbox is moved to another mail host. The one that has it carries the move out. While the mailbox is
 * still on the old one, a further request replaces this one.
 *
 * @throws Refusal `not_found` for the mailbox, `invalid` for the host, or while an earlier move isn't finished
 */
export async function requestMove(db: Db, mailbox: string, toHost: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [found] = await tx
      .select({ storeHost: mailboxes.storeHost, store: mailboxes.store })
      .from(mailboxes)
      .where(eq(mailboxes.address, mailbox))
      .for("no key update");
    if (!found) throw new Refusal("not_found", `There is no mailbox ${mailbox}`);
    const fromHost = found.storeHost;
    const known = await tx.select({ name: mailHosts.name }).from(mailHosts);
    if (fromHost === null || !known.some(({ name }) => name === toHost))
      throw new Refusal("invalid", `There is no mail host ${toHost}. ${nameHosts(known)}`);
    await dropRequest(tx, mailbox);
    if (fromHost === toHost) return;
    await requireNoOldCopy(tx, { mailbox, store: found.store, toHost });
    await tx.insert(mailboxMoves).values({ mailbox, fromHost, toHost });
  });
}

const nameHosts = (hosts: { name: string }[]) =>
  hosts.length === 0
    ? "Mail hosts get a name with POSTHOUSE_MAIL_HOST"
    : `Mail hosts: ${hosts.map(({ name }) => name).join(", ")}`;

async function dropRequest(db: Db, mailbox: string): Promise<void> {
  const [dropped] = await db
    .delete(mailboxMoves)
    .where(and(eq(mailboxMoves.mailbox, mailbox), isNull(mailboxMoves.switchedAt)))
    .returning();
  if (dropped) return;
  const earlier = await findMove(db, mailbox);
  if (earlier)
    throw new Refusal(
      "invalid",
      `${mailbox} has just been moved from ${earlier.fromHost}. Move it again when the copy there is deleted, in ${SETTLED_SECONDS / 60} minutes`,
    );
}

/** The copy of an earlier move away from the host is deleted in the background, and must not be the new one. */
async function requireNoOldCopy(
  db: Db,
  { mailbox, store, toHost }: { mailbox: string; store: string; toHost: string },
): Promise<void> {
  const old = and(eq(removedStores.store, store), eq(removedStores.storeHost, toHost));
  if ((await db.$count(removedStores, old)) > 0)
    throw new Refusal(
      "invalid",
      `An old copy of ${mailbox} on ${toHost} is being deleted. Try again in a minute`,
    );
}

/**
 * Makes the new host the one that stores the mailbox: from this commit on, mail is delivered and users sign in there.
 *
 * @returns false if the move was canceled or replaced meanwhile
 */
export async function switchHost(
  db: Db,
  { mailbox, fromHost, toHost }: MailboxMove,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [switched] = await tx
      .update(mailboxMoves)
      .set({ switchedAt: sql`clock_timestamp()` })
      .where(
        and(
          eq(mailboxMoves.mailbox, mailbox),
          eq(mailboxMoves.toHost, toHost),
          isNull(mailboxMoves.switchedAt),
        ),
      )
      .returning();
    if (!switched) return false;
    const at = and(eq(mailboxes.address, mailbox), eq(mailboxes.storeHost, fromHost));
    await tx.update(mailboxes).set({ storeHost: toHost }).where(at);
    const runAt = new Date(Date.now() + LATE_SIGN_IN_MS);
    await enqueue(tx, "end_mail_sessions", { address: mailbox }, { runAt });
    return true;
  });
}

/** Records that all mail is on the new host. */
export async function recordCopied(db: Db, { mailbox }: MailboxMove): Promise<void> {
  await db
    .update(mailboxMoves)
    .set({ copiedAt: sql`clock_timestamp()`, problem: null })
    .where(eq(mailboxMoves.mailbox, mailbox));
}

export async function recordMoveProblem(db: Db, move: MailboxMove, problem: string): Promise<void> {
  await db.update(mailboxMoves).set({ problem }).where(eq(mailboxMoves.mailbox, move.mailbox));
}

/** Ends a move: the old copy is deleted with the stores of deleted mailboxes. */
export async function finishMove(db: Db, { mailbox, store, fromHost }: MailboxMove): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(mailboxMoves).where(eq(mailboxMoves.mailbox, mailbox));
    await tx
      .insert(removedStores)
      .values({ store, address: mailbox, storeHost: fromHost })
      .onConflictDoNothing();
  });
}
