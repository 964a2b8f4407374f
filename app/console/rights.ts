import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { type Me, meQuery } from "./session-queries.ts";

/**
 * Who is signed in; undefined until it is known. A part of a page that comes to life after the shell finds
 * it known already, and its first picture is the server's all the same, which knows nobody: pages ask here.
 */
export function useMe(): Me | undefined {
  const { data } = useQuery(meQuery);
  return useSyncExternalStore(never, () => data, unknown);
}

/**
 * What the person may do here, so that no page offers what would be refused: nothing until it is known.
 * The server decides; this only spares the question.
 */
export function useRights(): { has: (privilege: string) => boolean; isOwner: boolean } {
  const me = useMe();
  return {
    has: (privilege) => me?.privileges.includes(privilege) ?? false,
    isOwner: me?.is_owner ?? false,
  };
}

const never = () => () => {};
const unknown = () => undefined;
