import { updateTemplate as update } from "#server/core/sending/templates/update-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { TemplateChanges } from "./template-fields.ts";
import { NOT_FOUND, TemplateChanged, templateChanged, TemplatePath } from "./template-object.ts";

export const updateTemplate = defineEndpoint({
  method: "PATCH",
  path: "/templates/{id}",
  summary: "Update a template",
  description:
    "Absent fields keep their values; `variables` replaces the list. `name` and `alias` change at once. New content is a draft: emails use the published version until you publish again.",
  permission: "full_access",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  body: TemplateChanges,
  bodyLimit: "sending",
  response: TemplateChanged,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body }) => templateChanged(await update(ctx, id, body)),
});
