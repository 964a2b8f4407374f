import { deleteGroup as remove } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupDeleted, GroupPath } from "./group-object.ts";

export const deleteGroup = defineEndpoint({
  method: "DELETE",
  path: "/groups/{address}",
  summary: "Delete a group",
  description:
    "Deletes the group with its access settings and member list; its address is free at once. The members' mailboxes are not affected. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
  permission: "full_access",
  privilege: "owner",
  params: GroupPath,
  response: GroupDeleted,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, params }) {
    const { address } = await remove(ctx, params.address);
    return { object: "group" as const, address, deleted: true as const };
  },
});
