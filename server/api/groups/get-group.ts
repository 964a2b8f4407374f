import { getGroup as get } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupObject, groupObject, GroupPath } from "./group-object.ts";

export const getGroup = defineEndpoint({
  method: "GET",
  path: "/groups/{address}",
  summary: "Retrieve a group",
  permission: "full_access",
  privilege: "view_groups",
  params: GroupPath,
  response: GroupObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => groupObject(await get(ctx, params.address)),
});
