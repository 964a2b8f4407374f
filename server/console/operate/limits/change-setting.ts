import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { changeSettingAudited } from "#server/core/platform/settings/change-setting.ts";
import { resetSetting } from "#server/core/platform/settings/reset-setting.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const changeSetting = defineEndpoint({
  method: "PATCH",
  path: "/console/api/operate/settings/{name}",
  summary: "Update a run-time setting or reset it to its default",
  permission: "operator",
  privilege: null,
  params: z.object({ name: z.string() }),
  body: z.object({
    value: z.string().max(1_000).nullable().describe("Null resets the setting to its default"),
  }),
  response: z.object({ name: z.string() }),
  refusals: ["not_found", "invalid"],
  async handle(call) {
    const ctx = await applianceContext(currentOperator(call));
    const { name } = call.params;
    if (call.body.value === null) await resetSetting(ctx, name);
    else await changeSettingAudited(ctx, name, call.body.value);
    return { name };
  },
});
