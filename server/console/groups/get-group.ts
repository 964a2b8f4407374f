import { getGroup as get } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupPath, GroupDetail, groupDetail } from "./group-row.ts";

export const getGroup = defineEndpoint({
  method: "GET",
  path: "/console/api/groups/{address}",
  summary: "Retrieve a group with its members and access settings",
  permission: "console",
  privilege: "view_groups",
  params: GroupPath,
  response: GroupDetail,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => groupDetail(await get(ctx, params.address)),
});
