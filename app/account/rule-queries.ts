import { useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { Identity } from "#app/console/second-factors/queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type Rules = AnswerOf<"account.rules.get">;
export type Filter = Rules["filters"][number];
export type VacationFields = NonNullable<Rules["vacation"]>;

export const rulesQuery = queryOf("account.rules.get", {});

export const scriptsQuery = queryOf("account.rules.listScripts", {});

/** Every change returns all rules. */
function useSaving<Fields>(save: (fields: Fields) => Promise<Rules>) {
  const queryClient = useQueryClient();
  return useAction({
    call: save,
    invalidates: [rulesQuery.queryKey],
    onDone: (rules) => queryClient.setQueryData(rulesQuery.queryKey, rules),
  });
}

export const useSaveForwarding = () =>
  useSaving((body: Pick<Rules, "forwardTo" | "keepCopy"> & Identity) =>
    change("account.rules.saveForwarding", { body }),
  );

export const useResumeForwarding = () =>
  useSaving((address: string) => change("account.rules.resumeForwarding", { body: { address } }));

export const useSaveVacation = () =>
  useSaving((body: VacationFields) => change("account.rules.saveVacation", { body }));

/** The filters that the reader changed, so that a change made meanwhile in another tab isn't lost. */
type FiltersChange = { before: Filter[]; after: Filter[] };

export const useSaveFilters = () =>
  useSaving(({ before, after }: FiltersChange) =>
    change("account.rules.saveFilters", {
      body: { filters: after, expectedFilters: before },
    }),
  );
