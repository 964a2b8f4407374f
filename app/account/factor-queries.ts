import { queryOptions } from "@tanstack/react-query";

import { change, read } from "#app/console/console-client.ts";
import type { FactorEndpoints } from "#app/console/second-factors/queries.ts";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";

export const factorsQuery = queryOptions({
  queryKey: ["account", "second-factor"],
  queryFn: () => read("account.secondFactors.get", {}),
});

export const MAILBOX_FACTORS: FactorEndpoints = {
  area: "account",
  affected: [factorsQuery.queryKey],
};

export const confirmWithProvider: StartAtProvider = () =>
  change("account.secondFactors.startProviderConfirmation", {});
