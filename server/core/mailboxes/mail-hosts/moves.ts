import { asc, eq, sql } from "drizzle-orm";

import { mailboxes, mailboxMoves } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Longer than a delivery to the old host can take that had begun before the switch. */
export const SETTLED_SECONDS = 600;

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
