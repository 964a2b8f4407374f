import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { previewSetting } from "#server/core/operations/limits/preview-setting.ts";
import {
  changeSettingAudited,
  listSettings,
  resetSetting,
} from "#server/core/platform/settings/change-setting.ts";
import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

const CHANGES_SHOWN = 20;

/** The server's settings, for operators. */
export const limitsConsole = pageEndpoints("console", "limits", {
  previewSetting: change({
    permission: "operator",
    params: z.object({ name: z.string() }),
    body: z.object({ value: z.string().max(1_000) }),
    handle: ({ ctx, params, body }) => previewSetting(ctx.db, params.name, body.value),
  }),

  listSettings: read({
    permission: "operator",
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const page = { limit: CHANGES_SHOWN, after: null, before: null };
      const [settings, { rows }] = await Promise.all([listSettings(ctx.db), listAudit(ctx, page)]);
      return {
        settings: settings.map((setting) => ({
          ...setting,
          changedAt: setting.changedAt && consoleTimestamp(setting.changedAt),
        })),
        changes: rows.map(({ id, actor, action, details, createdAt }) => ({
          id,
          actor,
          action,
          details,
          createdAt: consoleTimestamp(createdAt),
        })),
      };
    },
  }),

  changeSetting: change({
    permission: "operator",
    params: z.object({ name: z.string() }),
    body: z.object({ value: z.string().max(1_000).nullable() }),
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const { name } = call.params;
      if (call.body.value === null) await resetSetting(ctx, name);
      else await changeSettingAudited(ctx, name, call.body.value);
      return { name };
    },
  }),
});
