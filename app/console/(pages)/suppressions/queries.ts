import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { readMatching } from "#app/console/ui/select-all-matching.tsx";
import { toast } from "#app/console/ui/toast.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { addAddresses } from "#server/console/suppressions/add-addresses.ts";
import type { checkList } from "#server/console/suppressions/check-list.ts";
import type { importList } from "#server/console/suppressions/import-list.ts";
import type { listSuppressions } from "#server/console/suppressions/list-suppressions.ts";
import type { removeSuppressions } from "#server/console/suppressions/remove-suppressions.ts";
import type { restoreSuppressions } from "#server/console/suppressions/restore-suppressions.ts";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 20;
/** The server's limit for one request. */
export const ADDRESSES_PER_REQUEST = 2_000;

export type SuppressionRow = Answer<typeof listSuppressions>["data"][number];
export type Origin = SuppressionRow["origin"];
export type SuppressionFilterParams = { origin?: Origin; search?: string };
export type AddResult = Answer<typeof addAddresses>["results"][number];

export const suppressionsQuery = (
  place: PageCursor,
  filters: SuppressionFilterParams,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  queryOptions({
    queryKey: ["suppressions", place, filters, sort],
    queryFn: () =>
      call<typeof listSuppressions>("GET", "/console/api/suppressions", {
        query: { ...place, ...filters, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const readMatchingSuppressions = (
  filters: SuppressionFilterParams,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  readMatching((page) =>
    call<typeof listSuppressions>("GET", "/console/api/suppressions", {
      query: { ...page, ...filters, sort },
    }),
  );

export function useInvalidateSuppressions() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["suppressions"] });
}

/** Part of a file. */
type GivenRows = { file_name: string; first: string[]; rows: string[][] };

export type CheckedRow = Answer<typeof checkList>["results"][number];

export const checkRows = (body: GivenRows) =>
  call<typeof checkList>("POST", "/console/api/suppression-imports/check", { body });

export const importRows = (body: GivenRows) =>
  call<typeof importList>("POST", "/console/api/suppression-imports", { body });

const addBatch = (addresses: string[]) =>
  call<typeof addAddresses>("POST", "/console/api/suppressions", { body: { addresses } });

export function useAddSuppressions() {
  const onSuccess = useInvalidateSuppressions();
  return useMutation({ mutationFn: addBatch, onSuccess });
}

/** Offers Undo. Is pending until the list is without what was removed. `name` is for the toast. */
export function useRemoveSuppressions() {
  const invalidate = useInvalidateSuppressions();
  return useAction({
    async call({ ids }: { ids: string[]; name: string }) {
      const answer = await call<typeof removeSuppressions>(
        "POST",
        "/console/api/suppressions/remove",
        { body: { ids } },
      );
      await invalidate();
      return answer;
    },
    invalidates: [["suppressions"]],
    success: (_, { name }) => `${name} removed from the suppression list`,
    async undo({ name }, { undo }) {
      await call<typeof restoreSuppressions>("POST", "/console/api/suppressions/restore", {
        body: { undo },
      });
      toast(`${name} suppressed again`);
    },
  });
}
