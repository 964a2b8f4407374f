import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import {
  countQuarantine,
  listQuarantine as list,
} from "#server/core/mail/quarantine/list-quarantine.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { QuarantineRow, quarantineRow, Reason } from "./quarantine-row.ts";

export const listQuarantine = defineEndpoint({
  method: "GET",
  path: "/console/api/quarantine",
  summary: "List quarantined messages",
  permission: "console",
  privilege: ["update_users", "manage_groups"],
  query: PageQuery.and(
    z.object({
      reason: Reason.optional().describe("Only messages quarantined for this reason"),
      search: z.string().max(200).optional().describe("Part of a sender, subject or recipient"),
      sort: sortQuery(["created"], "-created"),
    }),
  ),
  response: countedListOf(QuarantineRow),
  refusals: ["invalid"],
  async handle({
    ctx,
    signedIn,
    query: {
      reason,
      search,
      sort: { direction },
      ...request
    },
  }) {
    const visible = visibleReasons(signedIn);
    const reasons = reason ? visible.filter((one) => one === reason) : visible;
    const filter = { reasons, search: search || null };
    const page = await list(ctx, { ...request, direction }, filter);
    const counts = await countQuarantine(ctx, filter, page.rows[0], direction);
    return countedList(page, counts, quarantineRow);
  },
});
