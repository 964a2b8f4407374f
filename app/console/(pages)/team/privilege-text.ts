/** What a privilege lets one do, in a person's words. */
export type PrivilegeText = { name: string; sentence: string };

/** Every privilege a role can give, in the groups in which it is chosen. */
export const PRIVILEGE_GROUPS: { name: string; privileges: Record<string, PrivilegeText> }[] = [
  {
    name: "Sending",
    privileges: {
      api_controls: {
        name: "API controls",
        sentence: "Read emails, metrics and logs; manage API keys, webhooks and suppressions.",
      },
      domains: { name: "Domains", sentence: "Add and verify domains, and switch their tracking." },
    },
  },
  {
    name: "Mailboxes",
    privileges: {
      view_users: { name: "View users", sentence: "See mailboxes, their aliases and units." },
      create_users: { name: "Create users", sentence: "Make new mailboxes." },
      update_users: {
        name: "Update users",
        sentence: "Change names, sizes and aliases, and decide about held mail.",
      },
      suspend_users: { name: "Suspend users", sentence: "Suspend mailboxes and open them again." },
      reset_user_passwords: {
        name: "Reset user passwords",
        sentence: "Give a mailbox a new password, and contain one that was taken over.",
      },
    },
  },
  {
    name: "Groups",
    privileges: {
      view_groups: { name: "View groups", sentence: "See groups and their members." },
      manage_groups: {
        name: "Manage groups",
        sentence: "Make and change groups, their members and who may write to them.",
      },
    },
  },
  {
    name: "The company",
    privileges: {
      manage_admins: {
        name: "Manage admins",
        sentence: "Invite, change and remove admins, with what one holds oneself.",
      },
      view_audit: { name: "View audit", sentence: "Read who changed what." },
      manage_settings: { name: "Manage settings", sentence: "Change the company's settings." },
    },
  },
];

/** In the order in which they are shown. */
export const ALL_PRIVILEGES = PRIVILEGE_GROUPS.flatMap(({ privileges }) => Object.keys(privileges));

/** What a role that is limited to a unit can give. */
export const UNIT_PRIVILEGES = Object.keys(PRIVILEGE_GROUPS[1]!.privileges);

const OWNER = {
  name: "Owner",
  sentence: "Delete domains, mailboxes and groups, and decide who is an owner.",
};

const TEXTS = new Map([
  ...PRIVILEGE_GROUPS.flatMap(({ privileges }) => Object.entries(privileges)),
  ["owner", OWNER] as const,
]);

export const privilegeText = (privilege: string): PrivilegeText =>
  TEXTS.get(privilege) ?? { name: privilege, sentence: "" };

/** "View users, Create users" */
export const privilegeNames = (privileges: readonly string[]): string =>
  ALL_PRIVILEGES.filter((each) => privileges.includes(each))
    .map((each) => privilegeText(each).name)
    .join(", ");
