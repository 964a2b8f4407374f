import { z } from "zod";

import type { ShownGroup } from "#server/core/mailboxes/groups/groups.ts";

export const Posting = z.enum(["anyone", "company", "members", "listed"]);
export const Moderation = z.enum(["none", "strangers", "all"]);
export const Replies = z.enum(["author", "group"]);

/** The ID is the group's address. */
export const GroupRow = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean(),
  posting: Posting,
  member_count: z.int(),
});

export const GroupDetail = GroupRow.omit({ member_count: true }).extend({
  members: z.array(z.string()),
  posters: z.array(z.string()),
  moderation: Moderation,
  moderators: z.array(z.string()),
  replies: Replies,
  members_send_as: z.boolean(),
});

export const GroupPath = z.object({ address: z.string() });

export function groupRow(group: ShownGroup): z.input<typeof GroupRow> {
  const { address: id, name, active, posting, members } = group;
  return { id, name, active, posting, member_count: members.length };
}

export function groupDetail(group: ShownGroup): z.input<typeof GroupDetail> {
  const { address: id, name, members, active, posting, posters, moderation, moderators } = group;
  return {
    ...{ id, name, members, active, posting, posters, moderation, moderators },
    replies: group.replies,
    members_send_as: group.membersSendAs,
  };
}
