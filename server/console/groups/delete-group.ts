import { z } from "zod";

import { deleteGroup as remove } from "#server/core/mailboxes/groups/delete-group.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupPath } from "./group-row.ts";

export const deleteGroup = defineEndpoint({
  method: "DELETE",
  path: "/console/api/groups/{address}",
  summary: "Delete a group",
  permission: "console",
  privilege: "owner",
  params: GroupPath,
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "mail_server_error"],
  handle: async ({ ctx, params }) => ({ id: await remove(ctx, params.address) }),
});
