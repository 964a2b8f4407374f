import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { type Me, meQuery } from "./session-queries.ts";

export type Privilege = Me["privileges"][number];

/**
 * The signed-in admin; undefined while loading. Use this instead of the query: during hydration the query
 * may already have data, but the first render must match the server's, which has none.
 */
export function useMe(): Me | undefined {
  const { data } = useQuery(meQuery);
  return useSyncExternalStore(never, () => data, unknown);
}

/**
 * The signed-in admin's privileges, for hiding what the server would reject. None while loading.
 */
export function usePrivileges(): { has: (privilege: Privilege) => boolean; isOwner: boolean } {
  const me = useMe();
  return {
    has: (privilege) => me?.privileges.includes(privilege) ?? false,
    isOwner: me?.isOwner ?? false,
  };
}

const never = () => () => {};
const unknown = () => undefined;
