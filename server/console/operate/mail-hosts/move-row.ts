import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ListedMailHost } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { type MailboxMove, stageOf } from "#server/core/mailboxes/mail-hosts/moves.ts";

export const MoveRow = z.object({
  mailbox: z.string(),
  from: z.string(),
  to: z.string(),
  stage: z
    .enum(["copying", "switched", "moved"])
    .describe("Switched: new mail arrives on the new host. Moved: all mail is there"),
  requested_at: z.string(),
  problem: z.string().nullable().describe("Why the last attempt failed; Posthouse is retrying"),
});

export function moveRow(
  move: MailboxMove,
  hosts: Pick<ListedMailHost, "name" | "isRunning">[],
): z.input<typeof MoveRow> {
  const { mailbox, fromHost: from, toHost: to } = move;
  return {
    ...{ mailbox, from, to, stage: stageOf(move), problem: problemOf(move, hosts) },
    requested_at: consoleTimestamp(move.requestedAt),
  };
}

/** A host that isn't responding can't record why. */
function problemOf(
  { fromHost, problem }: MailboxMove,
  hosts: Pick<ListedMailHost, "name" | "isRunning">[],
): string | null {
  const isRunning = hosts.some(({ name, isRunning }) => name === fromHost && isRunning);
  return isRunning ? problem : `The mail host ${fromHost} isn't responding`;
}
