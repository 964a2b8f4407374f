import { z } from "zod";

import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { previewSettings } from "#server/core/operations/server-settings/preview-settings.ts";
import { changeSettings, listSettings } from "#server/core/platform/settings/change-setting.ts";
import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { operatorChange, operatorRead, pageEndpoints } from "#server/http/endpoint.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";

import { describeEntry } from "./audit/describe-entry.ts";
import { currentOperator } from "./operate.ts";

const CHANGES_SHOWN = 20;

/** Values as typed, by name. */
const body = z.object({ values: z.record(z.string(), z.string().max(1_000)) });

/** The server's settings, for operators. */
export const serverSettingsConsole = pageEndpoints("console", "serverSettings", {
  preview: operatorChange({
    body,
    handle: ({ ctx, body }) => previewSettings(ctx.db, body.values),
  }),

  list: operatorRead({
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
          text: describeEntry(action, details),
          createdAt: consoleTimestamp(createdAt),
        })),
      };
    },
  }),

  save: operatorChange({
    body,
    async handle(call) {
      await changeSettings(await applianceContext(currentOperator(call)), call.body.values);
      return null;
    },
  }),
});
