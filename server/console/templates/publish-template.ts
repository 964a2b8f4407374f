import {
  TemplateChanged,
  templateChanged,
  TemplatePath,
  NOT_FOUND,
} from "#server/api/templates/template-object.ts";
import { publishTemplate as publish } from "#server/core/sending/templates/publish-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const publishTemplate = defineEndpoint({
  method: "POST",
  path: "/console/api/templates/{id}/publish",
  summary: "Publish a template's draft",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateChanged,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => templateChanged(await publish(ctx, id)),
});
