import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, ConsoleError, change, read } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { readMatching } from "#app/console/ui/select-all-matching.tsx";

const REFRESH_MS = 10_000;
const ROWS_PER_PAGE = 20;

export type QuarantineRow = AnswerOf<"quarantine.list">["data"][number];
export type QuarantineDetail = AnswerOf<"quarantine.get">;
export type Reason = QuarantineRow["reason"];
export type QuarantineFilters = { reason?: Reason; search?: string };

export const quarantineQuery = (
  place: PageCursor,
  filters: QuarantineFilters,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  listOf(
    "quarantine.list",
    { ...place, ...filters, sort, rows: ROWS_PER_PAGE },
    { refetchInterval: REFRESH_MS },
  );

export const readMatchingMessages = (filters: QuarantineFilters, sort: SortOf<typeof TIME_SORTS>) =>
  readMatching((page) =>
    read("quarantine.list", {
      query: { ...page, ...filters, sort },
    }),
  );

/** Not refetched: the content never changes, and a message that is gone fails when it's decided on. */
export const quarantinedMessageQuery = (id: string) =>
  queryOf("quarantine.get", { params: { id } }, { refetchOnWindowFocus: false });

export type Decision = "release" | "delete";

export type DecisionOutcome = {
  done: number;
  /** Recipients of released messages that no longer exist. */
  gone: string[];
};

/**
 * Releases or deletes messages one after the other and stops at the first error. In a bulk action,
 * messages that another admin has already decided on are skipped.
 *
 * @param onProgress receives the number of messages processed so far
 */
export function useDecideQuarantined(onProgress?: (processed: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({
      ids,
      decision,
    }: {
      ids: string[];
      decision: Decision;
    }): Promise<DecisionOutcome> {
      const decided: DecisionOutcome = { done: 0, gone: [] };
      for (const [at, id] of ids.entries()) {
        onProgress?.(at);
        const gone = await decide(id, decision).catch((error: unknown) => {
          const isAlreadyDecided = error instanceof ConsoleError && error.status === 404;
          if (isAlreadyDecided && ids.length > 1) return null;
          throw error;
        });
        if (gone === null) continue;
        decided.done += 1;
        decided.gone.push(...gone);
      }
      return decided;
    },
    // Only the list: an open message no longer exists, and its page is closing.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["quarantine", "list"] }),
  });
}

/** @returns recipients that no longer exist */
async function decide(id: string, decision: Decision): Promise<string[]> {
  const params = { id };
  if (decision === "delete") {
    await change("quarantine.delete", { params });
    return [];
  }
  const { gone } = await change("quarantine.release", { params });
  return gone;
}
