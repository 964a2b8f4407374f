import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { displayName } from "./admin-text.ts";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type AdminRow = AnswerOf<"team.list">["data"][number];
export type AdminDetail = AnswerOf<"team.get">;
export type PrivilegeSource = AdminDetail["effectivePrivileges"][number]["through"][number];
export type MailboxPrivilegesAnswer = AnswerOf<"team.getMailboxPrivileges">;
export type InvitationRow = AnswerOf<"invitations.list">["data"][number];

export const TEAM_SORTS = ["email", "name", "-seen"] as const;

export const teamQuery = (place: PageCursor, search: string, sort: SortOf<typeof TEAM_SORTS>) =>
  listOf(
    "team.list",
    { ...place, search: search || undefined, sort, rows: ROWS_PER_PAGE },
    { refetchInterval: REFRESH_MS },
  );

export const adminQuery = (id: string) =>
  queryOf("team.get", { params: { id } }, { refetchInterval: REFRESH_MS });

export const invitationsQuery = queryOf("invitations.list", {}, { refetchInterval: REFRESH_MS });

/** Query keys of the team pages. A change on one of them can affect the others. */
const TEAM_KEYS = [["team"], ["invitations"], ["roles"]] as const;

export function useInvalidateTeam(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(TEAM_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export function useInvite() {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: { email: string; name: string; isOwner: boolean; roleIds: string[] }) =>
      change("invitations.invite", { body }),
    onSuccess,
  });
}

export const useResendInvitation = () =>
  useAction({
    call: (id: string) =>
      change("invitations.resend", {
        params: { id },
      }),
    invalidates: TEAM_KEYS,
  });

export function useWithdrawInvitation() {
  const invalidate = useInvalidateTeam();
  return useMutation({
    mutationFn: (id: string) =>
      change("invitations.withdraw", {
        params: { id },
      }),
    onSettled: invalidate,
  });
}

export type AdminChange = {
  name?: string;
  isOwner?: boolean;
  /** As last read. */
  expectedIsOwner?: boolean;
  roleIds?: string[];
  expectedRoleIds?: string[];
  directPrivileges?: string[];
};

export function useUpdateAdmin(id: string) {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: AdminChange) => change("team.update", { params: { id }, body }),
    onSuccess,
  });
}

export function useSwitchAccess(admin: AdminDetail, on: boolean) {
  const { id } = admin;
  const turn = (on: boolean) =>
    change("team.switchAccess", {
      params: { id },
      body: { on },
    });
  return useAction({
    call: () => turn(on),
    invalidates: TEAM_KEYS,
    success: `Access turned ${on ? "on" : "off"} for ${displayName(admin)}`,
    undo: () => turn(!on),
  });
}

/** Doesn't refetch the removed admin: their page is about to close and would show an error. */
export function useRemoveAdmin(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => change("team.remove", { params: { id } }),
    onSuccess: () =>
      Promise.all(
        [["team", "list"], ["invitations"], ["roles"]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** Idle without a mailbox. */
export const mailboxPrivilegesQuery = (id: string, mailbox: string) =>
  queryOf(
    "team.getMailboxPrivileges",
    {
      params: { id },
      query: { mailbox },
    },
    { enabled: mailbox !== "" },
  );
