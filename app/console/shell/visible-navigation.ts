import type { Me } from "#app/console/session-queries.ts";

import type { Area, NavigationGroup } from "./navigation.ts";

type Access = Pick<Me, "privileges" | "wholePrivileges" | "isOperator">;

/** The entries that the admin has access to, without empty groups. */
export function visibleNavigation(groups: NavigationGroup[], access: Access): NavigationGroup[] {
  return groups
    .filter(({ area }) => area !== "operate" || access.isOperator)
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ needs, isOfWhole }) => {
        const privileges = isOfWhole ? access.wholePrivileges : access.privileges;
        return !needs || needs.some((privilege) => privileges.includes(privilege));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The area that a page belongs to. */
export const areaOf = (pathname: string): Area =>
  /^\/console\/operate(\/|$)/.test(pathname) ? "operate" : "company";

/** The groups whose entries the navigation shows there. */
export const groupsOf = (area: Area, groups: NavigationGroup[]): NavigationGroup[] =>
  groups.filter((group) => (group.area ?? "company") === area);
