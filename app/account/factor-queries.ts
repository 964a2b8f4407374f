import { change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { FactorEndpoints } from "#app/console/second-factors/queries.ts";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";

export const factorsQuery = queryOf("account.secondFactors.get", {});

export const MAILBOX_FACTORS: FactorEndpoints = {
  area: "account",
  affected: [factorsQuery.queryKey],
};

export const confirmWithProvider: StartAtProvider = () =>
  change("account.secondFactors.startProviderConfirmation", {});
