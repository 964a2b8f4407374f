import type { NavigationGroup } from "./navigation.ts";

/** What decides which entries a person sees. */
type Seer = { privileges: string[]; whole_privileges: string[]; is_operator: boolean };

/** The groups with the entries that lead somewhere for this person; none that would be empty. */
export function visibleNavigation(groups: NavigationGroup[], seer: Seer): NavigationGroup[] {
  return groups
    .filter(({ isForOperators }) => !isForOperators || seer.is_operator)
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ needs, isOfWhole }) => {
        const held = isOfWhole ? seer.whole_privileges : seer.privileges;
        return !needs || needs.some((privilege) => held.includes(privilege));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}
