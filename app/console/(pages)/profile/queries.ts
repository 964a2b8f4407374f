import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { meQuery } from "#app/console/session.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type UserProfile = AnswerOf<"profile.get">;

export const profileQuery = queryOf("profile.get", {});

function useRefreshProfile() {
  const client = useQueryClient();
  return async () => {
    await Promise.all([client.invalidateQueries(profileQuery), client.invalidateQueries(meQuery)]);
  };
}

export function useUpdateName() {
  return useMutation({
    mutationFn: (name: string) => change("profile.update", { body: { name } }),
    onSuccess: useRefreshProfile(),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { currentPassword: string; password: string }) =>
      change("profile.changePassword", { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["profile", "listOwnSessions"] }),
  });
}

export type AdminSession = AnswerOf<"profile.listOwnSessions">["data"][number];

export const ownSessionsQuery = queryOf("profile.listOwnSessions", {});

export const useEndOwnSession = () =>
  useAction({
    call: (id: string) =>
      change("profile.endOwnSession", {
        params: { id },
      }),
    invalidates: [ownSessionsQuery.queryKey],
  });

export function useEndOwnOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => change("profile.endOwnOtherSessions", {}),
    onSettled: () => client.invalidateQueries(ownSessionsQuery),
  });
}
