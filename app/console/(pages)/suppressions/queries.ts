import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { listOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { readMatching } from "#app/console/ui/select-all-matching.tsx";
import { toast, useAction } from "#app/console/ui/actions.tsx";

const ROWS_PER_PAGE = 20;
/** The server's limit for one request. */
export const ADDRESSES_PER_REQUEST = 2_000;

export type SuppressionRow = AnswerOf<"suppressions.list">["data"][number];
export type SuppressionOrigin = SuppressionRow["origin"];
export type SuppressionFilterParams = { origin?: SuppressionOrigin; search?: string };
export type AddResult = AnswerOf<"suppressions.addAddresses">["results"][number];

export const suppressionsQuery = (
  place: PageCursor,
  filters: SuppressionFilterParams,
  sort: SortOf<typeof TIME_SORTS>,
) => listOf("suppressions.list", { ...place, ...filters, sort, rows: ROWS_PER_PAGE });

export const readMatchingSuppressions = (
  filters: SuppressionFilterParams,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  readMatching((page) =>
    read("suppressions.list", {
      query: { ...page, ...filters, sort },
    }),
  );

export function useInvalidateSuppressions() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["suppressions"] });
}

/** Part of a file. */
type GivenRows = { fileName: string; first: string[]; rows: string[][] };

export type CheckedRow = AnswerOf<"suppressions.checkList">["results"][number];

export const checkRows = (body: GivenRows) => change("suppressions.checkList", { body });

export const importRows = (body: GivenRows) => change("suppressions.importList", { body });

const addBatch = (addresses: string[]) =>
  change("suppressions.addAddresses", { body: { addresses } });

export function useAddSuppressions() {
  const onSuccess = useInvalidateSuppressions();
  return useMutation({ mutationFn: addBatch, onSuccess });
}

/** Offers Undo. Is pending until the list is without what was removed. `name` is for the toast. */
export function useRemoveSuppressions() {
  const invalidate = useInvalidateSuppressions();
  return useAction({
    async call({ ids }: { ids: string[]; name: string }) {
      const answer = await change("suppressions.remove", { body: { ids } });
      await invalidate();
      return answer;
    },
    invalidates: [["suppressions"]],
    success: (_, { name }) => `${name} removed from the suppression list`,
    async undo({ name }, { undo }) {
      await change("suppressions.restore", {
        body: { undo },
      });
      toast(`${name} suppressed again`);
    },
  });
}
