import {
  TemplateChanged,
  templateChanged,
  TemplatePath,
  NOT_FOUND,
} from "#server/api/templates/template-object.ts";
import { duplicateTemplate as duplicate } from "#server/core/sending/templates/create-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const duplicateTemplate = defineEndpoint({
  method: "POST",
  path: "/console/api/templates/{id}/duplicate",
  summary: "Duplicate a template",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateChanged,
  refusals: ["not_found", "not_allowed", "invalid"],
  handle: async ({ ctx, params: { id } }) => templateChanged(await duplicate(ctx, id)),
});
