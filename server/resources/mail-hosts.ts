import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  countByMailHost,
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
import { operatorChange, operatorRead, pageEndpoints } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

type Host = Pick<ListedMailHost, "name" | "isRunning">;

function shownMove(move: MailboxMove, hosts: Host[]) {
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
function problemOf({ fromHost, problem }: MailboxMove, hosts: Host[]): string | null {
  const isRunning = hosts.some(({ name, isRunning }) => name === fromHost && isRunning);
  return isRunning ? problem : `The mail host ${fromHost} isn't responding`;
}

const MailboxHostPath = z.object({ email: z.string() });

/** The ID is the address. */
async function mailboxHost({ db }: Pick<Context, "db">, email: string) {
  const { address, storeHost } = await locateMailbox(db, email);
  const [move, hosts] = await Promise.all([findMove(db, address), listMailHosts(db)]);
  return {
    id: address,
    mailHost: storeHost,
    mailHosts: hosts.map(({ name, isRunning }) => ({ name, isRunning })),
    move: move && shownMove(move, hosts),
  };
}

const MOVES_SHOWN = 50;

/** The hosts that store mailboxes, and moves between them, for operators. */
export const mailHostsConsole = pageEndpoints("console", "mailHosts", {
  list: operatorRead({
    async handle({ ctx: { db } }) {
      const [hosts, moves] = await Promise.all([countByMailHost(db), listMoves(db, MOVES_SHOWN)]);
      return {
        data: hosts.map((host) => ({ ...host, seenAt: consoleTimestamp(host.seenAt) })),
        moves: moves.map((move) => shownMove(move, hosts)),
      };
    },
  }),

  getMailboxHost: operatorRead({
    params: MailboxHostPath,
    handle: ({ ctx, params }) => mailboxHost(ctx, params.email),
  }),

  changeMailboxHost: operatorChange({
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
