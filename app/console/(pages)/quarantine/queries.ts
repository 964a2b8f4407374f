import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call, ConsoleError } from "#app/console/console-client.ts";
import type { Place } from "#app/console/ui/pages-of-list.tsx";
import type { deleteQuarantined } from "#server/console/quarantine/delete-quarantined.ts";
import type { getQuarantined } from "#server/console/quarantine/get-quarantined.ts";
import type { listQuarantine } from "#server/console/quarantine/list-quarantine.ts";
import type { releaseQuarantined } from "#server/console/quarantine/release-quarantined.ts";

const REFRESH_MS = 10_000;
export const ROWS_PER_PAGE = 20;

export type HeldRow = Answer<typeof listQuarantine>["data"][number];
export type HeldDetail = Answer<typeof getQuarantined>;
export type Reason = HeldRow["reason"];
export type QuarantineFilters = { reason?: Reason; search?: string };

export const quarantineQuery = (place: Place, filters: QuarantineFilters) =>
  queryOptions({
    queryKey: ["quarantine", place, filters],
    queryFn: () =>
      call<typeof listQuarantine>("GET", "/console/api/quarantine", {
        query: { ...place, ...filters, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** What is held does not change; who decided about it first is found out when one decides. */
export const heldQuery = (id: string) =>
  queryOptions({
    queryKey: ["quarantine", id],
    queryFn: () =>
      call<typeof getQuarantined>("GET", "/console/api/quarantine/{id}", { params: { id } }),
    refetchOnWindowFocus: false,
  });

export type Decision = "release" | "delete";

/** What became of the messages that were decided about. */
export type Decided = {
  done: number;
  /** Recipients of released messages that are no more. */
  gone: string[];
};

/**
 * Decides about messages, one after the other. Those that somebody else has decided about meanwhile are
 * left out; the first that cannot be decided about ends it.
 */
export function useDecide() {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ ids, decision }: { ids: string[]; decision: Decision }): Promise<Decided> {
      const decided: Decided = { done: 0, gone: [] };
      for (const id of ids) {
        const gone = await decide(id, decision).catch((error: unknown) => {
          const isDecided = error instanceof ConsoleError && error.status === 404;
          if (isDecided && ids.length > 1) return null;
          throw error;
        });
        if (gone === null) continue;
        decided.done += 1;
        decided.gone.push(...gone);
      }
      return decided;
    },
    // The list only: a message that was open is no more, and its page is being left.
    onSettled: () =>
      queryClient.invalidateQueries({
        queryKey: ["quarantine"],
        predicate: ({ queryKey }) => queryKey.length > 2,
      }),
  });
}

/** Recipients that are no more. */
async function decide(id: string, decision: Decision): Promise<string[]> {
  const params = { id };
  if (decision === "delete") {
    await call<typeof deleteQuarantined>("DELETE", "/console/api/quarantine/{id}", { params });
    return [];
  }
  const { gone } = await call<typeof releaseQuarantined>(
    "POST",
    "/console/api/quarantine/{id}/release",
    { params },
  );
  return gone;
}
