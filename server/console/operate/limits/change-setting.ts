import { z } from "zod";

import { operatorOf } from "#server/console/operate/operator-of.ts";
import { asOperatorOfAll } from "#server/core/operations/companies/as-operator.ts";
import { changeSettingAs } from "#server/core/platform/settings/change-setting.ts";
import { resetSetting } from "#server/core/platform/settings/reset-setting.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const changeSetting = defineEndpoint({
  method: "PATCH",
  path: "/console/api/operate/settings/{name}",
  summary: "Change a run-time setting, or give it its default back",
  permission: "operator",
  privilege: null,
  params: z.object({ name: z.string() }),
  body: z.object({ value: z.string().max(1_000).nullable().describe("Null: its default") }),
  response: z.object({ name: z.string() }),
  refusals: ["not_found", "invalid"],
  async handle(call) {
    const ctx = await asOperatorOfAll(operatorOf(call));
    const { name } = call.params;
    if (call.body.value === null) await resetSetting(ctx, name);
    else await changeSettingAs(ctx, name, call.body.value);
    return { name };
  },
});
