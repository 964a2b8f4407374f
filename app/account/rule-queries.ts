import { queryOptions, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Identity } from "#app/console/second-factors/queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { getRules } from "#server/account/rules/get-rules.ts";
import type { listScripts } from "#server/account/rules/list-scripts.ts";
import type { resumeForwarding } from "#server/account/rules/resume-forwarding.ts";
import type { saveFilters } from "#server/account/rules/save-filters.ts";
import type { saveForwarding } from "#server/account/rules/save-forwarding.ts";
import type { saveVacation } from "#server/account/rules/save-vacation.ts";

export type Rules = Answer<typeof getRules>;
export type Filter = Rules["filters"][number];
export type VacationFields = NonNullable<Rules["vacation"]>;

export const rulesQuery = queryOptions({
  queryKey: ["account", "rules"],
  queryFn: () => call<typeof getRules>("GET", "/account/api/rules", {}),
});

export const scriptsQuery = queryOptions({
  queryKey: ["account", "scripts"],
  queryFn: () => call<typeof listScripts>("GET", "/account/api/scripts", {}),
});

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
  useSaving((body: Pick<Rules, "forward_to" | "keep_copy"> & Identity) =>
    call<typeof saveForwarding>("POST", "/account/api/forwarding", { body }),
  );

export const useResumeForwarding = () =>
  useSaving((address: string) =>
    call<typeof resumeForwarding>("POST", "/account/api/forwarding/resume", { body: { address } }),
  );

export const useSaveVacation = () =>
  useSaving((body: VacationFields) =>
    call<typeof saveVacation>("POST", "/account/api/vacation", { body }),
  );

/** The filters that the reader changed, so that a change made meanwhile in another tab isn't lost. */
type FiltersChange = { before: Filter[]; after: Filter[] };

export const useSaveFilters = () =>
  useSaving(({ before, after }: FiltersChange) =>
    call<typeof saveFilters>("POST", "/account/api/filters", {
      body: { filters: after, expected_filters: before },
    }),
  );
