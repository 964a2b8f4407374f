import { z } from "zod";

import { updateGroup as update } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupDetail, groupDetail, GroupPath } from "./group-row.ts";

export const updateGroup = defineEndpoint({
  method: "PATCH",
  path: "/console/api/groups/{address}",
  summary: "Rename a group",
  permission: "console",
  privilege: "manage_groups",
  bodyLimit: "directory",
  params: GroupPath,
  body: z.object({ name: z.string() }),
  response: GroupDetail,
  refusals: ["not_found", "invalid", "mail_server_error"],
  handle: async ({ ctx, params, body }) => groupDetail(await update(ctx, params.address, body)),
});
