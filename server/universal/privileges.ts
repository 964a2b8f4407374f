type PrivilegeTexts = {
  /** The heading it is listed under where a role is edited. */
  group: "Sending" | "Mailboxes" | "Groups" | "Company";
  name: string;
  /** Its name in the API and the API reference, if it differs. */
  apiName?: string;
  description: string;
  /** About mailboxes: a role can grant it for a single unit. */
  perUnit?: true;
};

/**
 * What a console role can grant, in the order shown. An owner has all of them. The API says `users` where the console says
 * mailboxes.
 */
const ROLE_PRIVILEGES = {
  api_controls: {
    group: "Sending",
    name: "API controls",
    description:
      "Read and send emails; read metrics and logs; manage API keys, webhooks, templates, and suppressions.",
  },
  view_emails: {
    group: "Sending",
    name: "View emails",
    description:
      "Read sent and received emails with their attachments, metrics, logs without request bodies, templates, and suppressions.",
  },
  domains: {
    group: "Sending",
    name: "Domains",
    description: "Create and verify domains, and change their tracking settings.",
  },
  view_users: {
    group: "Mailboxes",
    name: "View mailboxes",
    apiName: "View users",
    description: "View mailboxes, their aliases, and units.",
    perUnit: true,
  },
  create_users: {
    group: "Mailboxes",
    name: "Create mailboxes",
    apiName: "Create users",
    description: "Create mailboxes.",
    perUnit: true,
  },
  update_users: {
    group: "Mailboxes",
    name: "Edit mailboxes",
    apiName: "Update users",
    description:
      "Change names, addresses, storage limits, and aliases, and manage quarantined mail and mail on hold.",
    perUnit: true,
  },
  suspend_users: {
    group: "Mailboxes",
    name: "Suspend mailboxes",
    apiName: "Suspend users",
    description: "Suspend and restore mailboxes.",
    perUnit: true,
  },
  reset_user_passwords: {
    group: "Mailboxes",
    name: "Reset mailbox passwords",
    apiName: "Reset user passwords",
    description: "Reset mailbox passwords and secure compromised mailboxes.",
    perUnit: true,
  },
  view_groups: {
    group: "Groups",
    name: "View groups",
    description: "View groups and their members.",
  },
  manage_groups: {
    group: "Groups",
    name: "Manage groups",
    description: "Create and edit groups, their members, and who can post to them.",
  },
  manage_admins: {
    group: "Company",
    name: "Manage admins",
    description: "Invite, edit, and remove admins, and assign privileges that you have yourself.",
  },
  view_audit: { group: "Company", name: "View audit", description: "View the audit log." },
  manage_settings: {
    group: "Company",
    name: "Manage settings",
    description: "Change the company’s settings.",
  },
} as const satisfies Record<string, PrivilegeTexts>;

type RolePrivilege = keyof typeof ROLE_PRIVILEGES;

/**
 * Privileges, any of which lets admins read sent and received emails with their events, attachments, and receipts, metrics,
 * logs, templates, suppressions, and inbound addresses. To change them, admins need `api_controls`, or `manage_groups` for inbound
 * addresses.
 */
export const READ_EMAILS = ["api_controls", "view_emails"] as const;

/** `owner` can't be granted by a role. */
export type Privilege = RolePrivilege | "owner";

export type UnitPrivilege = {
  [Name in RolePrivilege]: (typeof ROLE_PRIVILEGES)[Name] extends { perUnit: true } ? Name : never;
}[RolePrivilege];

// Safe: the object literal has no other keys.
export const PRIVILEGES = Object.keys(ROLE_PRIVILEGES) as RolePrivilege[];

export const UNIT_PRIVILEGES = PRIVILEGES.filter(
  (privilege): privilege is UnitPrivilege => "perUnit" in ROLE_PRIVILEGES[privilege],
);

/** The privileges by heading. */
export const PRIVILEGE_GROUPS = [
  ...new Set(PRIVILEGES.map((each) => ROLE_PRIVILEGES[each].group)),
].map((name) => ({
  name,
  privileges: PRIVILEGES.filter((each) => ROLE_PRIVILEGES[each].group === name),
}));

type PrivilegeText = Pick<PrivilegeTexts, "name" | "apiName" | "description">;

const TEXTS = new Map<string, PrivilegeText>([
  ...Object.entries(ROLE_PRIVILEGES),
  [
    "owner",
    { name: "Owner", description: "Delete domains, mailboxes, and groups, and manage owners." },
  ],
]);

export const privilegeText = (privilege: string): PrivilegeText =>
  TEXTS.get(privilege) ?? { name: privilege, description: "" };

/** The name in the API, such as "View users". */
export function privilegeApiName(privilege: string): string {
  const { apiName, name } = privilegeText(privilege);
  return apiName ?? name;
}

/** The name in the console, such as "API controls". */
export const privilegeLabel = (privilege: string): string => privilegeText(privilege).name;

/** "View mailboxes, Create mailboxes" */
export const privilegeLabels = (privileges: readonly string[]): string =>
  PRIVILEGES.filter((privilege) => privileges.includes(privilege))
    .map(privilegeLabel)
    .join(", ");

/** Roles that every company can assign: each is created when it is first assigned. Their names serve as IDs until then. */
export const READY_MADE_ROLES: {
  name: string;
  description: string;
  privileges: RolePrivilege[];
}[] = [
  {
    name: "Help desk",
    description: "Looks up mailboxes and emails, and resets passwords.",
    privileges: ["view_emails", "view_users", "reset_user_passwords"],
  },
  {
    name: "Developer",
    description: "Manages API keys, webhooks, logs, and domains.",
    privileges: ["api_controls", "domains"],
  },
  {
    name: "Mail admin",
    description: "Creates, edits, and suspends mailboxes, and manages groups.",
    privileges: [
      "view_users",
      "create_users",
      "update_users",
      "suspend_users",
      "reset_user_passwords",
      "view_groups",
      "manage_groups",
    ],
  },
  {
    name: "Read only",
    description: "Views emails, mailboxes, groups, and the audit log.",
    privileges: ["view_emails", "view_users", "view_groups", "view_audit"],
  },
];
