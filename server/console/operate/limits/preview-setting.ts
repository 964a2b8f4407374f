import { z } from "zod";

import { previewSetting as preview } from "#server/core/operations/limits/preview-setting.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const previewSetting = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/settings/{name}/preview",
  summary: "Preview a setting's new value: the companies that use more today, and what it deletes",
  permission: "operator",
  privilege: null,
  params: z.object({ name: z.string() }),
  body: z.object({ value: z.string().max(1_000) }),
  response: z.object({
    over: z.array(z.object({ id: z.uuid(), name: z.string(), used: z.number().nullable() })),
    over_count: z.number(),
    deletes: z
      .number()
      .nullable()
      .describe("How much the next cleanup deletes; null unless the setting is about cleanups"),
  }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params, body }) {
    const { overCount, ...found } = await preview(ctx.db, params.name, body.value);
    return { ...found, over_count: overCount };
  },
});
