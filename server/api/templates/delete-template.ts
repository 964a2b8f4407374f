import { deleteTemplate as remove } from "#server/core/sending/templates/delete-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, templateChanged, TemplateDeleted, TemplatePath } from "./template-object.ts";

export const deleteTemplate = defineEndpoint({
  method: "DELETE",
  path: "/templates/{id}",
  summary: "Delete a template",
  description: "Deletes all its versions. Accepted and scheduled emails keep their content.",
  permission: "full_access",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateDeleted,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => ({
    ...templateChanged(await remove(ctx, id)),
    deleted: true as const,
  }),
});
