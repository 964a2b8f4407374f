/** What can be begun from anywhere, and the privileges of which one is needed for it. */
export const acts: { label: string; href: string; needs: readonly string[]; words: string }[] = [
  {
    label: "Send a test email",
    href: "/console/emails/new",
    needs: ["api_controls"],
    words: "compose write new",
  },
  {
    label: "Create API key",
    href: "/console/api-keys/new",
    needs: ["api_controls"],
    words: "new token",
  },
  { label: "Create webhook", href: "/console/webhooks/new", needs: ["api_controls"], words: "new" },
  { label: "Create domain", href: "/console/domains?new", needs: ["domains"], words: "new add" },
  {
    label: "Create mailbox",
    href: "/console/mailboxes/new",
    needs: ["create_users"],
    words: "new user person account",
  },
  {
    label: "Import mailboxes",
    href: "/console/mailboxes/import",
    needs: ["create_users"],
    words: "csv users",
  },
  {
    label: "Create group",
    href: "/console/groups/new",
    needs: ["manage_groups"],
    words: "new list",
  },
  {
    label: "Invite admin",
    href: "/console/team?new",
    needs: ["manage_admins"],
    words: "new person team member",
  },
];
