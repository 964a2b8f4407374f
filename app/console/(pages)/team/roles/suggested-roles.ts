export const SUGGESTED_ROLES: { name: string; description: string; privileges: string[] }[] = [
  {
    name: "Help desk",
    description: "Looks up mailboxes and resets passwords.",
    privileges: ["view_users", "reset_user_passwords"],
  },
  {
    name: "Developer",
    description: "Manages API keys, webhooks, logs, and domains.",
    privileges: ["api_controls", "domains"],
  },
  {
    name: "Mailbox admin",
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
    name: "Auditor",
    description: "Views the audit log, mailboxes, and groups.",
    privileges: ["view_audit", "view_users", "view_groups"],
  },
];

export const suggestedRoleUrl = (name: string) =>
  `/console/team/roles/new?${new URLSearchParams({ suggestion: name }).toString()}`;
