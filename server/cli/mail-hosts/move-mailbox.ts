import { setTimeout as sleep } from "node:timers/promises";

import { CommandError } from "#server/cli/command-error.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { findMove, requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import type { Db } from "#server/db/client.ts";

const LOOK_EVERY_MS = 500;

/** Moves a mailbox and waits until all of its mail is on the new host. */
export async function moveMailbox(address: string, to: string): Promise<void> {
  await withDatabase(async (db) => {
    const actor = { kind: "system", task: "posthouse mailbox move" } as const;
    await requestMove({ db, actor }, address, to);
    await untilMoved(db, address, to);
  });
  console.log(`${address} is on ${to}`);
}

/** The mail host carries the move out, so it continues if this command is interrupted. */
async function untilMoved(db: Db, address: string, to: string): Promise<void> {
  let printed: string | null = null;
  for (;;) {
    const move = await findMove(db, address);
    if (move ? move.copiedAt !== null : (await locateMailbox(db, address)).storeHost === to) return;
    if (move?.toHost !== to) throw new CommandError(`The move of ${address} was canceled`);
    if (move.problem !== null && move.problem !== printed)
      console.error(`posthouse: ${move.problem}. Retrying`);
    printed = move.problem;
    await sleep(LOOK_EVERY_MS);
  }
}
