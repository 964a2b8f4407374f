import { TemplateChanged, templateChanged } from "#server/api/templates/template-object.ts";
import { TemplateToCreate } from "#server/api/templates/template-fields.ts";
import { createTemplate as create } from "#server/core/sending/templates/create-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createTemplate = defineEndpoint({
  method: "POST",
  path: "/console/api/templates",
  summary: "Create a template",
  permission: "console",
  privilege: "api_controls",
  body: TemplateToCreate,
  bodyLimit: "sending",
  response: TemplateChanged,
  refusals: ["not_allowed", "invalid"],
  handle: async ({ ctx, body }) => templateChanged(await create(ctx, body)),
});
