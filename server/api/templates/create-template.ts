import { createTemplate as create } from "#server/core/sending/templates/create-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { TemplateToCreate } from "./template-fields.ts";
import { TemplateChanged, templateChanged } from "./template-object.ts";

export const createTemplate = defineEndpoint({
  method: "POST",
  path: "/templates",
  summary: "Create a template",
  description:
    "Creates a draft; publish it so that emails can use it. Variables are written as `{{{NAME}}}` in subject, html and text, and must be listed in `variables`. A company can have up to 300 templates.",
  permission: "full_access",
  privilege: "api_controls",
  body: TemplateToCreate,
  bodyLimit: "sending",
  response: TemplateChanged,
  refusals: ["not_allowed", "missing_required_field", "invalid"],
  handle: async ({ ctx, body }) => templateChanged(await create(ctx, body)),
});
