import {
  type Icon,
  IconActivity,
  IconAdjustments,
  IconBook,
  IconBuilding,
  IconChartBar,
  IconClockPause,
  IconEraser,
  IconFileText,
  IconHierarchy,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconListSearch,
  IconMail,
  IconMailbox,
  IconMailOff,
  IconMailPause,
  IconRocket,
  IconSettings,
  IconShieldExclamation,
  IconStack2,
  IconTemplate,
  IconTrash,
  IconUsersGroup,
  IconUserShield,
  IconWebhook,
  IconWorld,
} from "@tabler/icons-react";

import type { Me } from "#app/console/session.ts";
import { type Privilege, READ_EMAILS } from "#server/universal/privileges.ts";

type Entry = {
  label: string;
  href: string;
  icon: Icon;
  /** Shown with any of these privileges; without it, to everyone. */
  needs?: readonly Privilege[];
  /** The privilege must cover the whole company, not only some units. */
  isOfWhole?: true;
  /** Shown in local mode only. */
  isLocalOnly?: true;
  /** Shown once the server has a second company. */
  isOfSeveral?: true;
  /** Opens in a new tab. */
  external?: true;
};

/** The pages of a company, or those about the whole server. */
export type NavigationArea = "company" | "operate";

export type NavigationGroup = {
  group: string;
  /** "company" if omitted. Only operators see the other one. */
  area?: "operate";
  entries: Entry[];
};

export const navigation: NavigationGroup[] = [
  {
    group: "Send",
    entries: [
      { label: "Overview", href: "/console/overview", icon: IconHome },
      { label: "Emails", href: "/console/emails", icon: IconMail, needs: READ_EMAILS },
      {
        label: "Templates",
        href: "/console/templates",
        icon: IconTemplate,
        needs: READ_EMAILS,
      },
      { label: "Metrics", href: "/console/metrics", icon: IconChartBar, needs: READ_EMAILS },
      {
        label: "Suppressions",
        href: "/console/suppressions",
        icon: IconMailOff,
        needs: READ_EMAILS,
      },
    ],
  },
  {
    group: "Build",
    entries: [
      { label: "API keys", href: "/console/api-keys", icon: IconKey, needs: ["api_controls"] },
      { label: "Webhooks", href: "/console/webhooks", icon: IconWebhook, needs: ["api_controls"] },
      { label: "Logs", href: "/console/logs", icon: IconListSearch, needs: READ_EMAILS },
      { label: "API reference", href: "/docs", icon: IconBook, external: true },
    ],
  },
  {
    group: "Mail",
    entries: [
      { label: "Mailboxes", href: "/console/mailboxes", icon: IconInbox, needs: ["view_users"] },
      { label: "Groups", href: "/console/groups", icon: IconUsersGroup, needs: ["view_groups"] },
      {
        label: "Receiving",
        href: "/console/receiving",
        icon: IconMailbox,
        needs: ["view_groups", ...READ_EMAILS],
      },
      { label: "Units", href: "/console/units", icon: IconHierarchy, needs: ["view_users"] },
      {
        label: "Quarantine",
        href: "/console/quarantine",
        icon: IconShieldExclamation,
        needs: ["update_users", "manage_groups"],
        isOfWhole: true,
      },
      {
        label: "Mail log",
        href: "/console/mail-log",
        icon: IconFileText,
        needs: ["view_users"],
      },
      {
        label: "On hold",
        href: "/console/on-hold",
        icon: IconMailPause,
        needs: ["reset_user_passwords"],
      },
    ],
  },
  {
    group: "Manage",
    entries: [
      {
        label: "Domains",
        href: "/console/domains",
        icon: IconWorld,
        needs: ["api_controls", "domains"],
      },
      { label: "Team", href: "/console/team", icon: IconUserShield, needs: ["manage_admins"] },
      { label: "Deleted", href: "/console/deleted", icon: IconTrash, needs: ["owner"] },
      { label: "Audit log", href: "/console/audit", icon: IconHistory, needs: ["view_audit"] },
      {
        label: "Settings",
        href: "/console/settings",
        icon: IconSettings,
        needs: ["manage_settings"],
      },
    ],
  },
  {
    group: "Operate",
    area: "operate",
    entries: [
      {
        label: "Go live",
        href: "/console/operate/go-live",
        icon: IconRocket,
        isLocalOnly: true,
      },
      { label: "Health", href: "/console/operate/health", icon: IconActivity },
      {
        label: "Companies",
        href: "/console/operate/companies",
        icon: IconBuilding,
        isOfSeveral: true,
      },
      { label: "Plans", href: "/console/operate/plans", icon: IconStack2, isOfSeveral: true },
      { label: "Queue", href: "/console/operate/queue", icon: IconClockPause },
      { label: "Mail log", href: "/console/operate/mail-log", icon: IconFileText },
      { label: "Data erasure", href: "/console/operate/erasure", icon: IconEraser },
      { label: "Server settings", href: "/console/operate/settings", icon: IconAdjustments },
    ],
  },
];

type Access = Pick<
  Me,
  "privileges" | "wholePrivileges" | "isOperator" | "isLocalMode" | "hasSeveralCompanies"
>;

/** The entries that the admin has access to, without empty groups. */
export function visibleNavigation(groups: NavigationGroup[], access: Access): NavigationGroup[] {
  return groups
    .filter(({ area }) => area !== "operate" || access.isOperator)
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ needs, isOfWhole, isLocalOnly, isOfSeveral }) => {
        if (isLocalOnly && !access.isLocalMode) return false;
        // With a single company, the Usage page links to its limits, and requires this privilege.
        const isHidden = isOfSeveral && !access.hasSeveralCompanies;
        if (isHidden && access.privileges.includes("manage_settings")) return false;
        const privileges = isOfWhole ? access.wholePrivileges : access.privileges;
        return !needs || needs.some((privilege) => privileges.includes(privilege));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The area that a page belongs to. */
export const areaOf = (pathname: string): NavigationArea =>
  /^\/console\/operate(\/|$)/.test(pathname) ? "operate" : "company";

/** The groups whose entries the navigation shows there. */
export const groupsOf = (area: NavigationArea, groups: NavigationGroup[]): NavigationGroup[] =>
  groups.filter((group) => (group.area ?? "company") === area);
