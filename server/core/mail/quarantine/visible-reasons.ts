import type { Quarantined } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

export type QuarantineReason = Quarantined["reason"];

/**
 * The quarantine reasons that an admin can see and decide about: spam and viruses need `update_users`, group posts
 * need `manage_groups`. A privilege limited to some units isn't enough, since a message can be for several.
 */
export function visibleReasons({
  privileges,
}: Pick<HeldPrivileges, "privileges">): QuarantineReason[] {
  return [
    ...(privileges.has("update_users") ? (["spam", "virus"] as const) : []),
    ...(privileges.has("manage_groups") ? (["moderation"] as const) : []),
  ];
}
