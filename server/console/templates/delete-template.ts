import {
  TemplateChanged,
  templateChanged,
  TemplatePath,
  NOT_FOUND,
} from "#server/api/templates/template-object.ts";
import { deleteTemplate as remove } from "#server/core/sending/templates/delete-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteTemplate = defineEndpoint({
  method: "DELETE",
  path: "/console/api/templates/{id}",
  summary: "Delete a template with its versions",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateChanged,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => templateChanged(await remove(ctx, id)),
});
