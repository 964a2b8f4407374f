import { queryOptions } from "@tanstack/react-query";

import { call } from "#app/console/console-client.ts";
import type { FactorEndpoints } from "#app/console/second-factors/queries.ts";
import type { StepPath } from "#app/console/session-queries.ts";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";
import type { getFactors } from "#server/account/second-factors/get-factors.ts";
import type { startProviderConfirmation } from "#server/account/second-factors/start-provider-confirmation.ts";

export const factorsQuery = queryOptions({
  queryKey: ["account", "second-factor"],
  queryFn: () => call<typeof getFactors>("GET", "/account/api/second-factor", {}),
});

export const MAILBOX_FACTORS: FactorEndpoints = {
  base: "/account/api" as string as FactorEndpoints["base"],
  affected: [factorsQuery.queryKey],
};

export const confirmWithProvider: StartAtProvider = () =>
  call<typeof startProviderConfirmation>("POST", "/account/api/proof/provider", {});

export const SECOND_FACTOR_PATH = "/account/api/sign-in/second-factor" as string as StepPath;
