import { z } from "zod";

import { DeletedId } from "#server/console/deleted-items/deleted-row.ts";
import { deleteGroup as remove } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupPath } from "./group-row.ts";

export const deleteGroup = defineEndpoint({
  method: "DELETE",
  path: "/console/api/groups/{address}",
  summary: "Delete a group, which can be restored for a while",
  permission: "console",
  privilege: "owner",
  params: GroupPath,
  response: z.object({ id: z.string(), deleted_id: DeletedId }),
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const { address: id, deletedId } = await remove(ctx, params.address);
    return { id, deleted_id: deletedId };
  },
});
