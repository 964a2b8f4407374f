export type PrivilegeText = { name: string; description: string };

/** Every privilege that a role can have, grouped for selection. */
export const PRIVILEGE_GROUPS: { name: string; privileges: Record<string, PrivilegeText> }[] = [
  {
    name: "Sending",
    privileges: {
      api_controls: {
        name: "API controls",
        description: "Read emails, metrics, and logs; manage API keys, webhooks, and suppressions.",
      },
      domains: {
        name: "Domains",
        description: "Create and verify domains, and change their tracking settings.",
      },
    },
  },
  {
    name: "Mailboxes",
    privileges: {
      view_users: { name: "View users", description: "View mailboxes, their aliases, and units." },
      create_users: { name: "Create users", description: "Create mailboxes." },
      update_users: {
        name: "Update users",
        description:
          "Change names, storage limits, and aliases, and manage quarantined mail and mail on hold.",
      },
      suspend_users: { name: "Suspend users", description: "Suspend and restore mailboxes." },
      reset_user_passwords: {
        name: "Reset user passwords",
        description: "Reset mailbox passwords and secure compromised mailboxes.",
      },
    },
  },
  {
    name: "Groups",
    privileges: {
      view_groups: { name: "View groups", description: "View groups and their members." },
      manage_groups: {
        name: "Manage groups",
        description: "Create and edit groups, their members, and who can post to them.",
      },
    },
  },
  {
    name: "Company",
    privileges: {
      manage_admins: {
        name: "Manage admins",
        description:
          "Invite, edit, and remove admins, and assign privileges that you have yourself.",
      },
      view_audit: { name: "View audit", description: "View the audit log." },
      manage_settings: { name: "Manage settings", description: "Change the company’s settings." },
    },
  },
];

export const ALL_PRIVILEGES = PRIVILEGE_GROUPS.flatMap(({ privileges }) => Object.keys(privileges));

/** The privileges that a role limited to a unit can have. */
export const UNIT_PRIVILEGES = Object.keys(PRIVILEGE_GROUPS[1]!.privileges);

const OWNER = {
  name: "Owner",
  description: "Delete domains, mailboxes, and groups, and manage owners.",
};

const TEXTS = new Map([
  ...PRIVILEGE_GROUPS.flatMap(({ privileges }) => Object.entries(privileges)),
  ["owner", OWNER] as const,
]);

export const privilegeText = (privilege: string): PrivilegeText =>
  TEXTS.get(privilege) ?? { name: privilege, description: "" };

/** "View users, Create users" */
export const privilegeNames = (privileges: readonly string[]): string =>
  ALL_PRIVILEGES.filter((privilege) => privileges.includes(privilege))
    .map((privilege) => privilegeText(privilege).name)
    .join(", ");
