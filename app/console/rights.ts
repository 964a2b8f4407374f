import { useQuery } from "@tanstack/react-query";

import { meQuery } from "./session-queries.ts";

/**
 * What the person may do here, so that no page offers what would be refused: nothing until it is known.
 * The server decides; this only spares the question.
 */
export function useRights(): { has: (privilege: string) => boolean; isOwner: boolean } {
  const me = useQuery(meQuery);
  return {
    has: (privilege) => me.data?.privileges.includes(privilege) ?? false,
    isOwner: me.data?.is_owner ?? false,
  };
}
