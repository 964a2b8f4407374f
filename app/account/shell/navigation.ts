import {
  IconArrowForwardUp,
  IconBeach,
  IconDeviceMobile,
  IconFilter,
  IconHome,
  IconKey,
  IconLock,
  IconPlugConnected,
  IconShieldExclamation,
  IconShieldLock,
} from "@tabler/icons-react";

import type { NavigationGroup } from "#app/console/shell/navigation.ts";

/**
 * @param showsQuarantine false if the company's admins alone review it
 * @param usesPassword false if the company requires single sign-on
 */
export const accountNavigation = ({
  showsQuarantine,
  usesPassword,
}: {
  showsQuarantine: boolean;
  usesPassword: boolean;
}): NavigationGroup[] => [
  {
    group: "Mailbox",
    entries: [
      { label: "Overview", href: "/account/overview", icon: IconHome },
      { label: "Set up mail apps", href: "/account/set-up", icon: IconDeviceMobile },
    ],
  },
  {
    group: "Incoming mail",
    entries: [
      { label: "Filters", href: "/account/filters", icon: IconFilter },
      { label: "Forwarding", href: "/account/forwarding", icon: IconArrowForwardUp },
      { label: "Automatic replies", href: "/account/vacation", icon: IconBeach },
      ...(showsQuarantine
        ? [{ label: "Quarantine", href: "/account/quarantine", icon: IconShieldExclamation }]
        : []),
    ],
  },
  {
    group: "Security",
    entries: [
      ...(usesPassword ? [{ label: "Password", href: "/account/password", icon: IconLock }] : []),
      { label: "Two-factor", href: "/account/two-factor", icon: IconShieldLock },
      { label: "App passwords", href: "/account/app-passwords", icon: IconKey },
      { label: "Sessions", href: "/account/sessions", icon: IconPlugConnected },
    ],
  },
];
