import { z } from "zod";

import {
  NOT_FOUND,
  TemplateChanged,
  templateChanged,
  TemplatePath,
} from "#server/api/templates/template-object.ts";
import { restoreVersion as restore } from "#server/core/sending/templates/update-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const restoreVersion = defineEndpoint({
  method: "POST",
  path: "/console/api/templates/{id}/restore",
  summary: "Make the content of an older version the draft",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  body: z.object({ version: z.int().min(1).max(2_147_483_647) }),
  response: TemplateChanged,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body: { version } }) =>
    templateChanged(await restore(ctx, id, version)),
});
