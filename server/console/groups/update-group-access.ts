import { z } from "zod";

import { changeAccess as change } from "#server/core/mailboxes/groups/group-access.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupPath, GroupDetail, groupDetail, Moderation, Posting, Replies } from "./group-row.ts";

const Addresses = z.array(z.string());

export const updateGroupAccess = defineEndpoint({
  method: "PATCH",
  path: "/console/api/groups/{address}/access",
  summary: "Update a group's access settings",
  permission: "console",
  privilege: "manage_groups",
  bodyLimit: "directory",
  params: GroupPath,
  body: z
    .object({
      active: z.boolean(),
      posting: Posting,
      posters: Addresses,
      moderation: Moderation,
      moderators: Addresses,
      replies: Replies,
      members_send_as: z.boolean(),
    })
    .partial(),
  response: GroupDetail,
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, params: { address }, body: { members_send_as: membersSendAs, ...rest } }) {
    return groupDetail(await change(ctx, address, { ...rest, membersSendAs }));
  },
});
