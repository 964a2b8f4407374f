import { deleteGroup as remove } from "#server/core/mailboxes/groups/delete-group.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupDeleted, GroupPath } from "./group-object.ts";

export const deleteGroup = defineEndpoint({
  method: "DELETE",
  path: "/groups/{address}",
  summary: "Delete a group",
  description:
    "Permanently deletes the group with its access settings and member list. The members' mailboxes are not affected.",
  permission: "full_access",
  privilege: "owner",
  params: GroupPath,
  response: GroupDeleted,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const address = await remove(ctx, params.address);
    return { object: "group" as const, address, deleted: true as const };
  },
});
