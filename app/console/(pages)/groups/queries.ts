import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { changeMembers } from "#server/console/groups/change-members.ts";
import type { createGroup } from "#server/console/groups/create-group.ts";
import type { deleteGroup } from "#server/console/groups/delete-group.ts";
import type { getGroupOptions } from "#server/console/groups/get-group-options.ts";
import type { getGroup } from "#server/console/groups/get-group.ts";
import type { listGroups } from "#server/console/groups/list-groups.ts";
import type { updateGroupAccess } from "#server/console/groups/update-group-access.ts";
import type { updateGroup } from "#server/console/groups/update-group.ts";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type GroupRow = Answer<typeof listGroups>["data"][number];
export type GroupDetail = Answer<typeof getGroup>;
export type GroupAccess = Pick<
  GroupDetail,
  "posting" | "posters" | "moderation" | "moderators" | "replies" | "members_send_as" | "active"
>;

export const GROUP_SORTS = ["address", "name", "members"] as const;

export const groupsQuery = (place: PageCursor, search: string, sort: SortOf<typeof GROUP_SORTS>) =>
  queryOptions({
    queryKey: ["groups", place, search, sort],
    queryFn: () =>
      call<typeof listGroups>("GET", "/console/api/groups", {
        query: { ...place, ...(search && { search }), sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const groupOptionsQuery = queryOptions({
  queryKey: ["group-options"],
  queryFn: () => call<typeof getGroupOptions>("GET", "/console/api/group-options", {}),
});

export const groupQuery = (address: string) =>
  queryOptions({
    queryKey: ["group", address],
    queryFn: () =>
      call<typeof getGroup>("GET", "/console/api/groups/{address}", { params: { address } }),
    refetchInterval: REFRESH_MS,
  });

export function useCreateGroup() {
  const onSuccess = useForgetGroups();
  return useMutation({
    mutationFn: (body: { address: string; name: string; members: string[] }) =>
      call<typeof createGroup>("POST", "/console/api/groups", { body }),
    onSuccess,
  });
}

/** Drops the cached list, so that it never shows stale rows first. */
function useForgetGroups(): () => void {
  const queryClient = useQueryClient();
  return () => queryClient.removeQueries({ queryKey: ["groups"] });
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
      call<typeof updateGroup>("PATCH", "/console/api/groups/{address}", {
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
      call<typeof changeMembers>("POST", "/console/api/groups/{address}/members", {
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
      call<typeof updateGroupAccess>("PATCH", "/console/api/groups/{address}/access", {
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
    call: () =>
      call<typeof deleteGroup>("DELETE", "/console/api/groups/{address}", { params: { address } }),
    invalidates: DELETED_KEYS,
    success: `${address} deleted`,
    undo: (_, { deleted_id: id }) => restoreItem(id),
    onDone: forgetList,
  });
}
