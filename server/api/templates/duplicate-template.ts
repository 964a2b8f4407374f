import { duplicateTemplate as duplicate } from "#server/core/sending/templates/create-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, TemplateChanged, templateChanged, TemplatePath } from "./template-object.ts";

export const duplicateTemplate = defineEndpoint({
  method: "POST",
  path: "/templates/{id}/duplicate",
  summary: "Duplicate a template",
  description:
    "Creates a draft with the newest content. It has no alias, and its name ends in ` (copy)`.",
  permission: "full_access",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateChanged,
  refusals: ["not_found", "not_allowed", "invalid"],
  handle: async ({ ctx, params: { id } }) => templateChanged(await duplicate(ctx, id)),
});
