import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { changePassword } from "#server/console/profile/change-password.ts";
import type { endOwnOtherSessions } from "#server/console/profile/end-own-other-sessions.ts";
import type { endOwnSession } from "#server/console/profile/end-own-session.ts";
import type { listOwnSessions } from "#server/console/profile/list-own-sessions.ts";
import type { getProfile } from "#server/console/profile/get-profile.ts";
import type { updateProfile } from "#server/console/profile/update-profile.ts";

export type UserProfile = Answer<typeof getProfile>;

export const profileQuery = queryOptions({
  queryKey: ["profile"],
  queryFn: () => call<typeof getProfile>("GET", "/console/api/profile", {}),
});

function useRefreshProfile() {
  const client = useQueryClient();
  return async () => {
    await Promise.all([client.invalidateQueries(profileQuery), client.invalidateQueries(meQuery)]);
  };
}

export function useUpdateName() {
  return useMutation({
    mutationFn: (name: string) =>
      call<typeof updateProfile>("PATCH", "/console/api/profile", { body: { name } }),
    onSuccess: useRefreshProfile(),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { current_password: string; password: string }) =>
      call<typeof changePassword>("POST", "/console/api/profile/password", { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["own-sessions"] }),
  });
}

export type AdminSession = Answer<typeof listOwnSessions>["data"][number];

export const ownSessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: () => call<typeof listOwnSessions>("GET", "/console/api/profile/sessions", {}),
});

export const useEndOwnSession = () =>
  useAction({
    call: (id: string) =>
      call<typeof endOwnSession>("DELETE", "/console/api/profile/sessions/{id}", {
        params: { id },
      }),
    invalidates: [ownSessionsQuery.queryKey],
  });

export function useEndOwnOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<typeof endOwnOtherSessions>("DELETE", "/console/api/profile/sessions", {}),
    onSettled: () => client.invalidateQueries(ownSessionsQuery),
  });
}
