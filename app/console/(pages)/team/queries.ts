import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { invite } from "#server/console/invitations/invite.ts";
import type { listInvitations } from "#server/console/invitations/list-invitations.ts";
import type { resendInvitation } from "#server/console/invitations/resend-invitation.ts";
import type { withdrawInvitation } from "#server/console/invitations/withdraw-invitation.ts";
import type { getAdmin } from "#server/console/team/get-admin.ts";
import type { getMailboxPrivileges } from "#server/console/team/get-mailbox-privileges.ts";
import type { listTeam } from "#server/console/team/list-team.ts";
import type { removeAdmin } from "#server/console/team/remove-admin.ts";
import type { switchAccess } from "#server/console/team/switch-access.ts";
import type { updateAdmin } from "#server/console/team/update-admin.ts";

import { displayName } from "./admin-text.ts";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type AdminRow = Answer<typeof listTeam>["data"][number];
export type AdminDetail = Answer<typeof getAdmin>;
export type PrivilegeSource = AdminDetail["effective_privileges"][number]["through"][number];
export type MailboxPrivilegesAnswer = Answer<typeof getMailboxPrivileges>;
export type InvitationRow = Answer<typeof listInvitations>["data"][number];

export const TEAM_SORTS = ["email", "name", "-seen"] as const;

export const teamQuery = (place: PageCursor, search: string, sort: SortOf<typeof TEAM_SORTS>) =>
  queryOptions({
    queryKey: ["team", "list", place, search, sort],
    queryFn: () =>
      call<typeof listTeam>("GET", "/console/api/team", {
        query: { ...place, ...(search && { search }), sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const adminQuery = (id: string) =>
  queryOptions({
    queryKey: ["team", "admin", id],
    queryFn: () => call<typeof getAdmin>("GET", "/console/api/team/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

export const invitationsQuery = queryOptions({
  queryKey: ["team", "invitations"],
  queryFn: () => call<typeof listInvitations>("GET", "/console/api/invitations", {}),
  refetchInterval: REFRESH_MS,
});

/** Refetches the team, invitations and roles: one change affects several of them. */
export function useInvalidateTeam(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["team"] });
}

export function useInvite() {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: { email: string; name: string; is_owner: boolean; role_ids: string[] }) =>
      call<typeof invite>("POST", "/console/api/invitations", { body }),
    onSuccess,
  });
}

export const useResendInvitation = () =>
  useAction({
    call: (id: string) =>
      call<typeof resendInvitation>("POST", "/console/api/invitations/{id}/resend", {
        params: { id },
      }),
    invalidates: [["team"]],
  });

export function useWithdrawInvitation() {
  const invalidate = useInvalidateTeam();
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof withdrawInvitation>("DELETE", "/console/api/invitations/{id}", {
        params: { id },
      }),
    onSettled: invalidate,
  });
}

export type AdminChange = {
  name?: string;
  is_owner?: boolean;
  /** As last read. */
  expected_is_owner?: boolean;
  role_ids?: string[];
  expected_role_ids?: string[];
  direct_privileges?: string[];
};

export function useUpdateAdmin(id: string) {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: AdminChange) =>
      call<typeof updateAdmin>("PATCH", "/console/api/team/{id}", { params: { id }, body }),
    onSuccess,
  });
}

export function useSwitchAccess(admin: AdminDetail, on: boolean) {
  const { id } = admin;
  const turn = (on: boolean) =>
    call<typeof switchAccess>("POST", "/console/api/team/{id}/access", {
      params: { id },
      body: { on },
    });
  return useAction({
    call: () => turn(on),
    invalidates: [["team"]],
    success: `Access turned ${on ? "on" : "off"} for ${displayName(admin)}`,
    undo: () => turn(!on),
  });
}

/** Doesn't refetch the removed admin: their page is about to close and would show an error. */
export function useRemoveAdmin(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<typeof removeAdmin>("DELETE", "/console/api/team/{id}", { params: { id } }),
    onSuccess: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === "team" && queryKey[1] !== "admin",
      }),
  });
}

/** Idle without a mailbox. */
export const mailboxPrivilegesQuery = (id: string, mailbox: string) =>
  queryOptions({
    queryKey: ["team", "mailbox privileges", id, mailbox],
    queryFn: () =>
      call<typeof getMailboxPrivileges>("GET", "/console/api/team/{id}/privileges", {
        params: { id },
        query: { mailbox },
      }),
    enabled: mailbox !== "",
  });
