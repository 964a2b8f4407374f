/** Roles that many companies want, to begin with. */
export const SUGGESTED_ROLES: { name: string; sentence: string; privileges: string[] }[] = [
  {
    name: "Helpdesk",
    sentence: "Finds mailboxes and gives people new passwords.",
    privileges: ["view_users", "reset_user_passwords"],
  },
  {
    name: "Developer",
    sentence: "Sends from applications: keys, webhooks, logs and domains.",
    privileges: ["api_controls", "domains"],
  },
  {
    name: "Mailbox admin",
    sentence: "Looks after mailboxes and groups, from the first day to the last.",
    privileges: [
      ...["view_users", "create_users", "update_users", "suspend_users"],
      ...["reset_user_passwords", "view_groups", "manage_groups"],
    ],
  },
  {
    name: "Auditor",
    sentence: "Reads who changed what, and sees mailboxes and groups.",
    privileges: ["view_audit", "view_users", "view_groups"],
  },
];

export const suggestedRoleUrl = (name: string) =>
  `/console/team/roles/new?${new URLSearchParams({ suggestion: name }).toString()}`;
