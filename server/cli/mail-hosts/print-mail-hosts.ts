import { print, table } from "#server/cli/commands/print.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import { countMailboxes } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { listMoves, type MailboxMove, stageOf } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { pluralize } from "#server/core/shared/text.ts";

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
    Promise.all([countMailboxes(db), listMoves(db, MOVES_MAX)]),
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
