import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { listSettings as list } from "#server/core/platform/settings/list-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Value = z.union([z.number(), z.string()]);

const CHANGES_SHOWN = 20;

export const listSettings = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/settings",
  summary: "List the run-time settings and the latest changes to the instance",
  permission: "operator",
  privilege: null,
  response: z.object({
    settings: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(["number", "text"]),
        value: Value.describe("For a URL with a secret, only the server"),
        masked: z.boolean().describe("Whether `value` is only a part of the value"),
        default: Value,
        min: z.number().nullable(),
        max: z.number().nullable(),
        meaning: z.string(),
        changed_at: z.string().nullable().describe("Null if the setting has its default"),
      }),
    ),
    changes: z.array(
      z.object({
        id: z.uuid(),
        actor: z.string(),
        action: z.string(),
        details: z.record(z.string(), z.unknown()),
        created_at: z.string(),
      }),
    ),
  }),
  refusals: [],
  async handle(call) {
    const ctx = await applianceContext(currentOperator(call));
    const page = { limit: CHANGES_SHOWN, after: null, before: null };
    const [settings, { rows }] = await Promise.all([list(ctx.db), listAudit(ctx, page)]);
    return {
      settings: settings.map(({ changedAt, ...setting }) => ({
        ...setting,
        changed_at: changedAt && consoleTimestamp(changedAt),
      })),
      changes: rows.map(({ id, actor, action, details, createdAt }) => ({
        ...{ id, actor, action, details, created_at: consoleTimestamp(createdAt) },
      })),
    };
  },
});
