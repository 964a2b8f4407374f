import { getTemplate as get } from "#server/core/sending/templates/require-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, templateObject, TemplateObject, TemplatePath } from "./template-object.ts";

export const getTemplate = defineEndpoint({
  method: "GET",
  path: "/templates/{id}",
  summary: "Retrieve a template",
  description: "Returns the newest content, which may be an unpublished draft.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => templateObject(await get(ctx, params.id)),
});
