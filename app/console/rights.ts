import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { meQuery } from "./session-queries.ts";

/**
 * What the person may do here, so that no page offers what would be refused: nothing until it is known.
 * The server decides; this only spares the question.
 */
export function useRights(): { has: (privilege: string) => boolean; isOwner: boolean } {
  const { data } = useQuery(meQuery);
  // A part of the page that comes to life late finds it known already: its first picture is the server's all the same.
  const me = useSyncExternalStore(never, () => data, unknown);
  return {
    has: (privilege) => me?.privileges.includes(privilege) ?? false,
    isOwner: me?.is_owner ?? false,
  };
}

const never = () => () => {};
const unknown = () => undefined;
