import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { countReceived, listReceived as list } from "#server/core/mail/received/list-received.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { ReceivedRow, receivedRow } from "./received-row.ts";

export const listReceived = defineEndpoint({
  method: "GET",
  path: "/console/api/received",
  summary: "List received emails",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(
    z.object({
      search: z.string().max(200).optional().describe("Part of a sender, subject or recipient"),
      sort: sortQuery(["created"], "-created"),
    }),
  ),
  response: countedListOf(ReceivedRow),
  refusals: ["invalid"],
  async handle({
    ctx,
    query: {
      search,
      sort: { direction },
      ...request
    },
  }) {
    const page = await list(ctx, { ...request, direction }, search || null);
    const counts = await countReceived(ctx, search || null, page.rows[0], direction);
    return countedList(page, counts, receivedRow);
  },
});
