import { queryOptions } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { HOME } from "#app/console/next-page.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type InvitationAnswer = AnswerOf<"invitations.get">;
export type OpenInvitation = NonNullable<InvitationAnswer["invitation"]>;

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ["invitation", token],
    queryFn: () => change("invitations.get", { body: { token } }),
    refetchOnWindowFocus: false,
  });

/** Opens the console. */
export const useAccept = (token: string) =>
  useAction({
    call: (by: { name: string; password: string } | null) =>
      change("invitations.accept", {
        body: { token, ...by },
      }),
    // A full load drops data cached for another company.
    onDone: () => window.location.assign(HOME),
  });

export const useSignOutHere = (token: string) =>
  useAction({
    call: () => change("sessions.signOut", {}),
    invalidates: [invitationQuery(token).queryKey],
  });
