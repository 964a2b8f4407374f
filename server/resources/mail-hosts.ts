import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  countMailboxes,
  type ListedMailHost,
  listMailHosts,
} from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import {
  findMove,
  listMoves,
  type MailboxMove,
  requestMove,
  stageOf,
} from "#server/core/mailboxes/mail-hosts/moves.ts";
import type { Context } from "#server/core/shared/context.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

const MoveRow = z.object({
  mailbox: z.string(),
  from: z.string(),
  to: z.string(),
  stage: z
    .enum(["copying", "switched", "moved"])
    .describe("Switched: new mail arrives on the new host. Moved: all mail is there"),
  requestedAt: z.string(),
  problem: z.string().nullable(),
});

function moveRow(move: MailboxMove, hosts: Pick<ListedMailHost, "name" | "isRunning">[]) {
  const { mailbox, fromHost: from, toHost: to } = move;
  return {
    mailbox,
    from,
    to,
    stage: stageOf(move),
    problem: problemOf(move, hosts),
    requestedAt: consoleTimestamp(move.requestedAt),
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

const MailboxHostPath = z.object({ email: z.string() });

/** The ID is the address. */
const MailboxHost = z.object({
  id: z.string(),
  mailHost: z.string().nullable(),
  mailHosts: z.array(z.object({ name: z.string(), isRunning: z.boolean() })),
  move: MoveRow.nullable(),
});

async function mailboxHost(
  { db }: Pick<Context, "db">,
  email: string,
): Promise<z.input<typeof MailboxHost>> {
  const { address, storeHost } = await locateMailbox(db, email);
  const [move, hosts] = await Promise.all([findMove(db, address), listMailHosts(db)]);
  return {
    id: address,
    mailHost: storeHost,
    mailHosts: hosts.map(({ name, isRunning }) => ({ name, isRunning })),
    move: move && moveRow(move, hosts),
  };
}

const MOVES_SHOWN = 50;

export const mailHostsConsole = pageEndpoints("console", "mailHosts", {
  list: read({
    permission: "operator",
    privilege: null,
    async handle({ ctx: { db } }) {
      const [hosts, moves] = await Promise.all([countMailboxes(db), listMoves(db, MOVES_SHOWN)]);
      return {
        data: hosts.map(({ isRunning, seenAt, ...host }) => ({
          ...host,
          isRunning,
          seenAt: consoleTimestamp(seenAt),
        })),
        moves: moves.map((move) => moveRow(move, hosts)),
      };
    },
  }),

  getMailboxHost: read({
    permission: "operator",
    privilege: null,
    params: MailboxHostPath,
    handle: ({ ctx, params }) => mailboxHost(ctx, params.email),
  }),

  changeMailboxHost: change({
    permission: "operator",
    privilege: null,
    params: MailboxHostPath,
    body: z.object({ mailHost: z.string() }),
    async handle(call) {
      const { db, email } = currentOperator(call);
      const actor = { kind: "operator", email } as const;
      await requestMove({ db, actor }, call.params.email, call.body.mailHost);
      return mailboxHost(call.ctx, call.params.email);
    },
  }),
});
