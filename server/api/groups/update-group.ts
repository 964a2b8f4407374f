import { z } from "zod";

import { updateGroup as update } from "#server/core/mailboxes/groups/update-group.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Members, Name } from "./group-fields.ts";
import { GroupObject, groupObject, GroupPath } from "./group-object.ts";

export const updateGroup = defineEndpoint({
  method: "PATCH",
  path: "/groups/{address}",
  summary: "Change a group's name or members",
  description:
    "At least one of the two. The list of members is checked as a whole before anything changes.",
  permission: "full_access",
  privilege: "manage_groups",
  bodyLimit: "directory",
  params: GroupPath,
  body: z
    .object({
      name: Name.describe("At most 160 characters; an empty string removes the name"),
      members: Members.describe(
        "The complete new list of up to 200 addresses. Who is left out is a member no more; `[]` removes all",
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
