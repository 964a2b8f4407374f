import { z } from "zod";

import { createGroup as create } from "#server/core/mailboxes/groups/groups.ts";
import { requireKnownMembers } from "#server/core/mailboxes/groups/group-members.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupDetail, groupDetail } from "./group-row.ts";

export const createGroup = defineEndpoint({
  method: "POST",
  path: "/console/api/groups",
  summary: "Create a group",
  permission: "console",
  privilege: "manage_groups",
  bodyLimit: "directory",
  body: z.object({ address: z.string(), name: z.string(), members: z.array(z.string()) }),
  response: GroupDetail,
  refusals: ["missing_required_field", "invalid", "already_exists", "mail_server_error"],
  async handle({ ctx, body }) {
    await requireKnownMembers(ctx, body.members, "members");
    return groupDetail(await create(ctx, body));
  },
});
