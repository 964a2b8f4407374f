import {
  IconArrowForwardUp,
  IconBeach,
  IconDeviceMobile,
  IconFilter,
  IconHome,
  IconKey,
  IconLock,
  IconPlugConnected,
} from "@tabler/icons-react";

import type { NavigationGroup } from "#app/console/shell/navigation.ts";

/** Where one can go in the account. A page is added with one line in its group. */
export const accountNavigation: NavigationGroup[] = [
  {
    group: "Mailbox",
    entries: [
      { label: "Overview", href: "/account/overview", icon: IconHome },
      { label: "Set up mail apps", href: "/account/set-up", icon: IconDeviceMobile },
    ],
  },
  {
    group: "Arriving mail",
    entries: [
      { label: "Filters", href: "/account/filters", icon: IconFilter },
      { label: "Forwarding", href: "/account/forwarding", icon: IconArrowForwardUp },
      { label: "While away", href: "/account/vacation", icon: IconBeach },
    ],
  },
  {
    group: "Security",
    entries: [
      { label: "Password", href: "/account/password", icon: IconLock },
      { label: "App passwords", href: "/account/app-passwords", icon: IconKey },
      { label: "Sessions", href: "/account/sessions", icon: IconPlugConnected },
    ],
  },
];
