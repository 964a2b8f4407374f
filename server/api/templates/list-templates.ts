import { listTemplates as list } from "#server/core/sending/templates/list-templates.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { templateListItem, TemplateListItem } from "./template-object.ts";

export const listTemplates = defineEndpoint({
  method: "GET",
  path: "/templates",
  summary: "List templates",
  description: "Newest first, without their content.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(TemplateListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), templateListItem),
});
