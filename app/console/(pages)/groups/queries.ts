import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type GroupRow = AnswerOf<"groups.list">["data"][number];
export type GroupDetail = AnswerOf<"groups.get">;
export type GroupAccess = Pick<
  GroupDetail,
  "posting" | "posters" | "moderation" | "moderators" | "replies" | "membersSendAs" | "active"
>;

export const GROUP_SORTS = ["address", "name", "members"] as const;

export const groupsQuery = (place: PageCursor, search: string, sort: SortOf<typeof GROUP_SORTS>) =>
  listOf("groups.list", { ...place, search: search || undefined, sort, rows: ROWS_PER_PAGE });

export const groupOptionsQuery = queryOf("groups.getOptions", {});

export const groupQuery = (address: string) =>
  queryOf("groups.get", { params: { address } }, { refetchInterval: REFRESH_MS });

export function useCreateGroup() {
  const onSuccess = useForgetGroups();
  return useMutation({
    mutationFn: (body: { address: string; name: string; members: string[] }) =>
      change("groups.create", { body }),
    onSuccess,
  });
}

/** Drops the cached list, so that it never shows stale rows first. */
function useForgetGroups(): () => void {
  const queryClient = useQueryClient();
  return () => queryClient.removeQueries({ queryKey: ["groups", "list"] });
}

function useStoreGroup(address: string): (changed: GroupDetail) => void {
  const queryClient = useQueryClient();
  const forgetList = useForgetGroups();
  return (changed) => {
    forgetList();
    queryClient.setQueryData(groupQuery(address).queryKey, changed);
  };
}

export function useUpdateGroup(address: string) {
  const onSuccess = useStoreGroup(address);
  return useMutation({
    mutationFn: (body: { name: string }) =>
      change("groups.update", {
        params: { address },
        body,
      }),
    onSuccess,
  });
}

export function useChangeMembers(address: string) {
  const onSuccess = useStoreGroup(address);
  return useMutation({
    mutationFn: (body: { add?: string[]; remove?: string[] }) =>
      change("groups.changeMembers", {
        params: { address },
        body,
      }),
    onSuccess,
  });
}

export function useUpdateGroupAccess(address: string) {
  const onSuccess = useStoreGroup(address);
  return useMutation({
    mutationFn: (body: Partial<GroupAccess>) =>
      change("groups.updateAccess", {
        params: { address },
        body,
      }),
    onSuccess,
  });
}

/** Offers Undo, which restores the group. */
export function useDeleteGroup(address: string) {
  const forgetList = useForgetGroups();
  return useAction({
    call: () => change("groups.delete", { params: { address } }),
    invalidates: DELETED_KEYS,
    success: `${address} deleted`,
    undo: (_, { deletedId: id }) => restoreItem(id),
    onDone: forgetList,
  });
}
