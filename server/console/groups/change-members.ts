import { z } from "zod";

import {
  changeMembers as change,
  requireKnownMembers,
} from "#server/core/mailboxes/groups/group-members.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupDetail, groupDetail, GroupPath } from "./group-row.ts";

export const changeMembers = defineEndpoint({
  method: "POST",
  path: "/console/api/groups/{address}/members",
  summary: "Add and remove group members",
  permission: "console",
  privilege: "manage_groups",
  bodyLimit: "directory",
  params: GroupPath,
  body: z.object({ add: z.array(z.string()), remove: z.array(z.string()) }).partial(),
  response: GroupDetail,
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, params, body }) {
    await requireKnownMembers(ctx, body.add ?? [], "add");
    return groupDetail(await change(ctx, params.address, body));
  },
});
