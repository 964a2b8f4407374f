import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { acceptInvitation } from "#server/console/invitations/accept-invitation.ts";
import type { getInvitation } from "#server/console/invitations/get-invitation.ts";
import type { signOut } from "#server/console/sessions/sign-out.ts";

export type InvitationAnswer = Answer<typeof getInvitation>;
export type OpenInvitation = NonNullable<InvitationAnswer["invitation"]>;

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ["invitation", token],
    queryFn: () =>
      call<typeof getInvitation>("POST", "/console/api/invitation/look", { body: { token } }),
    refetchOnWindowFocus: false,
  });

export function useAccept(token: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (by: { name: string; password: string } | null) =>
      call<typeof acceptInvitation>("POST", "/console/api/invitation/accept", {
        body: { token, ...by },
      }),
    // Drop data cached for another company.
    onSuccess: () =>
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "invitation" }),
  });
}

export function useSignOutHere(token: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call<typeof signOut>("POST", "/console/api/sign-out", {}),
    onSuccess: () => queryClient.invalidateQueries(invitationQuery(token)),
  });
}
