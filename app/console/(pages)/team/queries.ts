import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Place } from "#app/console/ui/pages-of-list.tsx";
import type { invite } from "#server/console/invitations/invite.ts";
import type { listInvitations } from "#server/console/invitations/list-invitations.ts";
import type { resendInvitation } from "#server/console/invitations/resend-invitation.ts";
import type { withdrawInvitation } from "#server/console/invitations/withdraw-invitation.ts";
import type { getPerson } from "#server/console/team/get-person.ts";
import type { getRightsForMailbox } from "#server/console/team/get-rights-for-mailbox.ts";
import type { listTeam } from "#server/console/team/list-team.ts";
import type { removePerson } from "#server/console/team/remove-person.ts";
import type { switchAccess } from "#server/console/team/switch-access.ts";
import type { updatePerson } from "#server/console/team/update-person.ts";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type PersonRow = Answer<typeof listTeam>["data"][number];
export type PersonDetail = Answer<typeof getPerson>;
export type Through = PersonDetail["rights"][number]["through"][number];
export type InvitationRow = Answer<typeof listInvitations>["data"][number];

export const teamQuery = (place: Place, search: string) =>
  queryOptions({
    queryKey: ["team", "list", place, search],
    queryFn: () =>
      call<typeof listTeam>("GET", "/console/api/team", {
        query: { ...place, ...(search && { search }), limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: ["team", "person", id],
    queryFn: () => call<typeof getPerson>("GET", "/console/api/team/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

export const invitationsQuery = queryOptions({
  queryKey: ["team", "invitations"],
  queryFn: () => call<typeof listInvitations>("GET", "/console/api/invitations", {}),
  refetchInterval: REFRESH_MS,
});

/** Everything about the team, roles too, is read anew: one change shows in many places. */
export function useTeamChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["team"] });
}

export function useInvite() {
  const onSuccess = useTeamChanged();
  return useMutation({
    mutationFn: (body: { email: string; name: string; is_owner: boolean; role_ids: string[] }) =>
      call<typeof invite>("POST", "/console/api/invitations", { body }),
    onSuccess,
  });
}

export function useResendInvitation() {
  const onSettled = useTeamChanged();
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof resendInvitation>("POST", "/console/api/invitations/{id}/resend", {
        params: { id },
      }),
    onSettled,
  });
}

export function useWithdrawInvitation() {
  const changed = useTeamChanged();
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof withdrawInvitation>("DELETE", "/console/api/invitations/{id}", {
        params: { id },
      }),
    // Not waited for: the row that asked is gone then, and would say nothing any more.
    onSettled: () => void changed(),
  });
}

export type PersonChange = {
  name?: string;
  is_owner?: boolean;
  role_ids?: string[];
  expected_role_ids?: string[];
  direct_privileges?: string[];
};

export function useUpdatePerson(id: string) {
  const onSuccess = useTeamChanged();
  return useMutation({
    mutationFn: (body: PersonChange) =>
      call<typeof updatePerson>("PATCH", "/console/api/team/{id}", { params: { id }, body }),
    onSuccess,
  });
}

export function useSwitchAccess(id: string) {
  const changed = useTeamChanged();
  return useMutation({
    mutationFn: (on: boolean) =>
      call<typeof switchAccess>("POST", "/console/api/team/{id}/access", {
        params: { id },
        body: { on },
      }),
    // Not waited for: the box that asked is another one then, and would offer no way back.
    onSuccess: () => void changed(),
  });
}

/** What was read of the person is not read again: they are gone, and their page is being left. */
export function useRemovePerson(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<typeof removePerson>("DELETE", "/console/api/team/{id}", { params: { id } }),
    onSuccess: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === "team" && queryKey[1] !== "person",
      }),
  });
}

export const useRightsForMailbox = (id: string) =>
  useMutation({
    mutationFn: (mailbox: string) =>
      call<typeof getRightsForMailbox>("GET", "/console/api/team/{id}/rights", {
        params: { id },
        query: { mailbox },
      }),
  });
