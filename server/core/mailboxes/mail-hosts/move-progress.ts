import { and, eq, isNull, sql } from "drizzle-orm";

import { mailboxes, mailboxMoves, removedStores } from "#drizzle/schema/index.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import type { MailboxMove } from "./moves.ts";

/** The row of a move, unless it was canceled or replaced meanwhile. */
const isSame = ({ mailbox, requestedAt }: MailboxMove) =>
  and(eq(mailboxMoves.mailbox, mailbox), eq(mailboxMoves.requestedAt, requestedAt));

const moveContext = (db: Db, { companyId }: MailboxMove) =>
  createContext(db, companyId, { kind: "system", task: "move_mailbox" });

const auditDetails = ({ mailbox, fromHost: from, toHost: to }: MailboxMove) => ({
  ...{ mailbox, from, to },
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
