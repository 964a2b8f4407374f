import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { countMailboxes } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { listMoves } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MoveRow, moveRow } from "./move-row.ts";

const MOVES_SHOWN = 50;

export const listMailHosts = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/mail-hosts",
  summary: "List the mail hosts and the mailboxes that are being moved",
  permission: "operator",
  privilege: null,
  response: z.object({
    data: z
      .array(
        z.object({
          name: z.string(),
          address: z.string(),
          mailboxes: z.int(),
          is_running: z.boolean(),
          seen_at: z.string(),
        }),
      )
      .describe("Empty if mail hosts have no names"),
    moves: z.array(MoveRow).describe(`The ${MOVES_SHOWN} oldest moves in progress`),
  }),
  refusals: [],
  async handle({ ctx: { db } }) {
    const [hosts, moves] = await Promise.all([countMailboxes(db), listMoves(db, MOVES_SHOWN)]);
    return {
      data: hosts.map(({ isRunning, seenAt, ...host }) => ({
        ...host,
        is_running: isRunning,
        seen_at: consoleTimestamp(seenAt),
      })),
      moves: moves.map((move) => moveRow(move, hosts)),
    };
  },
});
