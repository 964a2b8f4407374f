import type { Quarantined } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

export type QuarantineReason = Quarantined["reason"];

/**
 * Why the messages were held that an admin may read and decide about: spam and viruses are for those who
 * look after mailboxes, posts to groups for those who look after groups. Who may do so in some units
 * only does not see them: a message may be for several.
 */
export function visibleReasons({
  privileges,
}: Pick<HeldPrivileges, "privileges">): QuarantineReason[] {
  return [
    ...(privileges.has("update_users") ? (["spam", "virus"] as const) : []),
    ...(privileges.has("manage_groups") ? (["moderation"] as const) : []),
  ];
}
