import { z } from "zod";

import { updateGroup as update } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Members, Name } from "./group-fields.ts";
import { GroupObject, groupObject, GroupPath } from "./group-object.ts";

export const updateGroup = defineEndpoint({
  method: "PATCH",
  path: "/groups/{address}",
  summary: "Update a group",
  description:
    "Provide `name`, `members` or both. If a member address is invalid, nothing changes.",
  permission: "full_access",
  privilege: "manage_groups",
  bodyLimit: "directory",
  params: GroupPath,
  body: z
    .object({
      name: Name.describe("Name of at most 160 characters; an empty string removes it"),
      members: Members.describe(
        "Complete new list of up to 200 addresses, which replaces the current members. `[]` removes all",
      ),
    })
    .prefault({}),
  response: GroupObject,
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, params: { address }, body: { name, members } }) {
    const change = { name: name ?? undefined, members: members ?? undefined };
    return groupObject(await update(ctx, address, change));
  },
});
