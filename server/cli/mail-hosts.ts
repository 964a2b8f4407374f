import { setTimeout as sleep } from "node:timers/promises";

import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { countByMailHost } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import {
  findMove,
  listMoves,
  type MailboxMove,
  requestMove,
  stageOf,
} from "#server/core/mailboxes/mail-hosts/moves.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { print, table } from "./commands/print.ts";
import { CommandError } from "./failures.ts";
import { withDatabase } from "./with-database.ts";

const MOVES_MAX = 1_000;

const STAGES = {
  copying: "copying",
  switched: "copying messages that arrived during the copy",
  moved: "moved, old copy not deleted yet",
};

export async function printMoves(json: boolean | undefined): Promise<void> {
  const moves = await withDatabase((db) => listMoves(db, MOVES_MAX));
  print(
    json,
    moves.map(moveObject),
    moves.length > 0 ? movesTable(moves) : "No mailbox moves in progress",
  );
}

export async function printHosts(json: boolean | undefined): Promise<void> {
  const [hosts, moves] = await withDatabase((db) =>
    Promise.all([countByMailHost(db), listMoves(db, MOVES_MAX)]),
  );
  const rows = hosts.map(({ name, address, mailboxes, isRunning }) => [
    name,
    address,
    pluralize(mailboxes, "mailbox", "mailboxes"),
    isRunning ? "running" : "not responding",
  ]);
  const text = rows.length > 0 ? table(rows) : "All mailboxes are on one host";
  const objects = hosts.map((host) => ({
    ...host,
    moves: moves.filter(({ fromHost }) => fromHost === host.name).map(moveObject),
  }));
  const inProgress = moves.length > 0 ? `\n\nMailbox moves in progress:\n${movesTable(moves)}` : "";
  print(json, objects, text + inProgress);
}

const moveObject = (move: MailboxMove) => ({
  mailbox: move.mailbox,
  from: move.fromHost,
  to: move.toHost,
  stage: stageOf(move),
  requestedAt: move.requestedAt,
  problem: move.problem,
});

const movesTable = (moves: MailboxMove[]): string =>
  table(
    moves.map((move) => [
      move.mailbox,
      `${move.fromHost} to ${move.toHost}`,
      STAGES[stageOf(move)],
      `since ${new Date(move.requestedAt).toISOString()}`,
      move.problem ?? "",
    ]),
  );

const LOOK_EVERY_MS = 500;

/** Moves a mailbox and waits until all of its mail is on the new host. */
export async function moveToHost(address: string, to: string): Promise<void> {
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
