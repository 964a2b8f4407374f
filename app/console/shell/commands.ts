import type { Privilege } from "#app/console/privileges.ts";

import type { PaletteItem } from "./use-palette-groups.ts";

/** Commands in the palette. Each needs one of `needs`. */
export const commands: (PaletteItem & { needs: readonly Privilege[] })[] = [
  {
    label: "Send a test email",
    href: "/console/emails/new",
    needs: ["api_controls"],
    keywords: "compose write new",
  },
  {
    label: "Create API key",
    href: "/console/api-keys/new",
    needs: ["api_controls"],
    keywords: "new token",
  },
  {
    label: "Create template",
    href: "/console/templates/new",
    needs: ["api_controls"],
    keywords: "new write",
  },
  {
    label: "Create webhook",
    href: "/console/webhooks/new",
    needs: ["api_controls"],
    keywords: "new",
  },
  { label: "Create domain", href: "/console/domains?new", needs: ["domains"], keywords: "new add" },
  {
    label: "Create mailbox",
    href: "/console/mailboxes/new",
    needs: ["create_users"],
    keywords: "new user person account",
  },
  {
    label: "Import mailboxes",
    href: "/console/mailboxes/import",
    needs: ["create_users"],
    keywords: "csv users",
  },
  {
    label: "Reset password for…",
    typed: "Reset password for ",
    needs: ["reset_user_passwords"],
    keywords: "mailbox user forgot",
  },
  {
    label: "Suspend mailbox…",
    typed: "Suspend ",
    needs: ["suspend_users"],
    keywords: "user block disable",
  },
  {
    label: "Create group",
    href: "/console/groups/new",
    needs: ["manage_groups"],
    keywords: "new list",
  },
  {
    label: "Invite admin",
    href: "/console/team?new",
    needs: ["manage_admins"],
    keywords: "new person team member",
  },
];
