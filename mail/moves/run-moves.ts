import type { Logger } from "pino";

import { dovecotOf, linkTo } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import {
  findMove,
  finishMove,
  listMovesFrom,
  type MailboxMove,
  recordCopied,
  recordMoveProblem,
  switchHost,
} from "#server/core/mailboxes/mail-hosts/moves.ts";
import { listViewers } from "#server/core/mailboxes/shares/shares.ts";
import type { Db } from "#server/db/client.ts";
import { dovecotAdmin } from "#server/gateways/dovecot.ts";
import { runLoop, type RunningLoop } from "#server/processes/run-loop.ts";

import { copyStore } from "./copy-store.ts";

const LOOK_EVERY_MS = 2_000;
const RETRY_MS = 15_000;

type Options = { host: string; dataFolder: string; log: Logger };

/** Carries out the moves of mailboxes from this mail host to others, one at a time. Resumes a move that was interrupted. */
export function runMoves(db: Db, options: Options): RunningLoop {
  const { host } = options;
  return runLoop(
    async (signal) => {
      let hasFailed = false;
      for (const { mailbox } of await listMovesFrom(db, host)) {
        // Reload: earlier moves may have taken hours.
        const move = await findMove(db, mailbox);
        if (signal.aborted) return 0;
        if (move?.fromHost !== host) continue;
        hasFailed = !(await attemptMove(db, move, options, signal)) || hasFailed;
      }
      return hasFailed ? RETRY_MS : LOOK_EVERY_MS;
    },
    { pauseMs: LOOK_EVERY_MS, ref: false, onError: () => {} },
  );
}

/** @returns false if the attempt failed. A shutdown or a deleted mailbox doesn't count as a failure. */
async function attemptMove(
  db: Db,
  move: MailboxMove,
  options: Options,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await continueMove(db, move, options);
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    const problem = error instanceof Error ? error.message : String(error);
    if (!(await recordMoveProblem(db, move, problem))) return true;
    const { mailbox } = move;
    options.log.warn({ err: error, mailbox }, "couldn't move a mailbox; retrying");
    return false;
  }
}

/**
 * 1. Copies the mailbox while it is in use, then what changed during the copy.
 * 2. Switches to the new host. Dovecot here now defers deliveries to the mailbox, and they are retried there.
 * 3. Ends the sessions here, also of those with whom the mailbox is shared, and copies what arrived last. On the new host, it
 *    is shared with those whose mailboxes are there.
 * 4. Once deliveries that were in progress must have ended, copies once more, then deletes the copy here.
 */
async function continueMove(db: Db, move: MailboxMove, options: Options): Promise<void> {
  const { mailbox, store, toHost } = move;
  const { dataFolder, log } = options;
  const link = linkTo(toHost);
  const copy = (how: "backup" | "sync") => copyStore({ store, dataFolder }, { link, how });
  if (move.switchedAt === null) {
    await copy("backup");
    await copy("backup");
    if (!(await switchHost(db, move))) return;
  }
  if (move.copiedAt !== null && !move.isSettled) return;
  const viewers = await listViewers(db, mailbox);
  const endSessions = async () => {
    for (const user of [mailbox, ...viewers]) await dovecotAdmin(dataFolder).kick(user);
  };
  if (move.copiedAt === null) {
    await endSessions();
    await copy("sync");
    // Copies don't include who can open folders.
    if (viewers.length > 0)
      await (await dovecotOf(db, mailbox)).allowSharing({ address: mailbox, store });
    await recordCopied(db, move);
    log.info({ mailbox, toHost }, "a mailbox was moved");
  }
  if (!move.isSettled) return;
  await endSessions();
  await copy("sync");
  await finishMove(db, move);
}
