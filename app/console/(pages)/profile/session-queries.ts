import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { endOwnOtherSessions } from "#server/console/profile/end-own-other-sessions.ts";
import type { endOwnSession } from "#server/console/profile/end-own-session.ts";
import type { listOwnSessions } from "#server/console/profile/list-own-sessions.ts";

export type Session = Answer<typeof listOwnSessions>["data"][number];

export const ownSessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: () => call<typeof listOwnSessions>("GET", "/console/api/profile/sessions", {}),
});

export function useEndOwnSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof endOwnSession>("DELETE", "/console/api/profile/sessions/{id}", {
        params: { id },
      }),
    onSettled: () => client.invalidateQueries(ownSessionsQuery),
  });
}

export function useEndOwnOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<typeof endOwnOtherSessions>("DELETE", "/console/api/profile/sessions", {}),
    onSettled: () => client.invalidateQueries(ownSessionsQuery),
  });
}
