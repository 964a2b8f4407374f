import {
  TemplateChanged,
  templateChanged,
  TemplatePath,
  NOT_FOUND,
} from "#server/api/templates/template-object.ts";
import { TemplateChanges } from "#server/api/templates/template-fields.ts";
import { updateTemplate as update } from "#server/core/sending/templates/update-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const updateTemplate = defineEndpoint({
  method: "PATCH",
  path: "/console/api/templates/{id}",
  summary: "Update a template. Omitted fields don't change",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  body: TemplateChanges,
  bodyLimit: "sending",
  response: TemplateChanged,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body }) => templateChanged(await update(ctx, id, body)),
});
