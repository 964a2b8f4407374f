import { publishTemplate as publish } from "#server/core/sending/templates/publish-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, TemplateChanged, templateChanged, TemplatePath } from "./template-object.ts";

export const publishTemplate = defineEndpoint({
  method: "POST",
  path: "/templates/{id}/publish",
  summary: "Publish a template",
  description:
    "Emails accepted from now on use the newest content. The newest 20 versions are kept.",
  permission: "full_access",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateChanged,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => templateChanged(await publish(ctx, id)),
});
