import {
  IconBook,
  IconInbox,
  IconMail,
  IconShieldExclamation,
  IconMailPause,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";

type Entry = {
  label: string;
  href: string;
  icon: Icon;
  /** Outside the console: opens in a tab of its own. */
  external?: true;
};

export type NavigationGroup = { group: string; entries: Entry[] };

/** Where one can go. A page is added with one line in its group. */
export const navigation: NavigationGroup[] = [
  {
    group: "Send",
    entries: [{ label: "Emails", href: "/console/emails", icon: IconMail }],
  },
  {
    group: "Build",
    entries: [
      { label: "Webhooks", href: "/console/webhooks", icon: IconWebhook },
      { label: "API reference", href: "/docs", icon: IconBook, external: true },
    ],
  },
  {
    group: "Mail",
    entries: [
      { label: "Mailboxes", href: "/console/mailboxes", icon: IconInbox },
      { label: "Groups", href: "/console/groups", icon: IconUsersGroup },
      { label: "Quarantine", href: "/console/quarantine", icon: IconShieldExclamation },
      { label: "Held mail", href: "/console/held", icon: IconMailPause },
    ],
  },
  {
    group: "Manage",
    entries: [{ label: "Domains", href: "/console/domains", icon: IconWorld }],
  },
];
