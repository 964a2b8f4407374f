import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { HOME } from "#app/console/next-page.ts";
import { useAction } from "#app/console/ui/use-action.ts";
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

/** Opens the console. */
export const useAccept = (token: string) =>
  useAction({
    call: (by: { name: string; password: string } | null) =>
      call<typeof acceptInvitation>("POST", "/console/api/invitation/accept", {
        body: { token, ...by },
      }),
    // A full load drops data cached for another company.
    onDone: () => window.location.assign(HOME),
  });

export const useSignOutHere = (token: string) =>
  useAction({
    call: () => call<typeof signOut>("POST", "/console/api/sign-out", {}),
    invalidates: [invitationQuery(token).queryKey],
  });
