import type { NavigationGroup } from "./navigation.ts";

type Access = { privileges: string[]; whole_privileges: string[]; is_operator: boolean };

/** The entries that the admin has access to, without empty groups. */
export function visibleNavigation(groups: NavigationGroup[], access: Access): NavigationGroup[] {
  return groups
    .filter(({ isForOperators }) => !isForOperators || access.is_operator)
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ needs, isOfWhole }) => {
        const privileges = isOfWhole ? access.whole_privileges : access.privileges;
        return !needs || needs.some((privilege) => privileges.includes(privilege));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}
