/** What a console role can grant. An owner has all of them. */
export const PRIVILEGES = [
  "api_controls",
  "domains",
  "view_users",
  "create_users",
  "update_users",
  "suspend_users",
  "reset_user_passwords",
  "view_groups",
  "manage_groups",
  "manage_admins",
  "view_audit",
  "manage_settings",
] as const;

/** `owner` can't be granted by a role. */
export type Privilege = (typeof PRIVILEGES)[number] | "owner";

/** The name in the console, such as "API controls". */
export function privilegeLabel(privilege: Privilege): string {
  const words = privilege.replaceAll("_", " ").replace(/^api/, "API");
  return words[0]!.toUpperCase() + words.slice(1);
}
