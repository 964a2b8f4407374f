import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { erasePerson as erase } from "#server/core/operations/erasure/erase-person.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const erasePerson = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/erasures",
  summary: "Erase the data stored about someone outside the appliance",
  permission: "operator",
  privilege: null,
  body: z.object({
    address: z.string().max(320),
    keep_suppressions: z.boolean().default(true),
  }),
  response: z.object({
    pseudonym: z.string().describe("Replaces the address in histories"),
    erased: z.record(z.string(), z.number()).describe("Number of objects by kind"),
  }),
  refusals: ["invalid"],
  async handle(call) {
    const ctx = await applianceContext(currentOperator(call));
    const { address, keep_suppressions: keepsSuppressions } = call.body;
    return erase(ctx, { address, keepsSuppressions });
  },
});
