import { z } from "zod";

import { listQuarantine as list } from "#server/core/mail/quarantine/list-quarantine.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { QuarantineRow, quarantineRow, Reason } from "./quarantine-row.ts";

export const listQuarantine = defineEndpoint({
  method: "GET",
  path: "/console/api/quarantine",
  summary: "List quarantined messages, newest first",
  permission: "console",
  privilege: ["update_users", "manage_groups"],
  query: PageQuery.and(
    z.object({
      reason: Reason.optional().describe("Only messages quarantined for this reason"),
      search: z.string().max(200).optional().describe("Part of a sender, subject or recipient"),
    }),
  ),
  response: listOf(QuarantineRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query: { reason, search, ...page } }) {
    const visible = visibleReasons(signedIn);
    const reasons = reason ? visible.filter((one) => one === reason) : visible;
    return listObject(await list(ctx, page, { reasons, search: search || null }), quarantineRow);
  },
});
