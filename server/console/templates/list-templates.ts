import { z } from "zod";

import { templateListItem, TemplateListItem } from "#server/api/templates/template-object.ts";
import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import {
  countTemplates,
  listTemplates as list,
} from "#server/core/sending/templates/list-templates.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

export const listTemplates = defineEndpoint({
  method: "GET",
  path: "/console/api/templates",
  summary: "List templates",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(z.object({ sort: sortQuery(["name", "changed", "created"], "-created") })),
  response: countedListOf(TemplateListItem.extend({ has_draft: z.boolean() })),
  refusals: ["invalid"],
  async handle({ ctx, query: { sort, ...request } }) {
    const page = await list(ctx, request, sort);
    return countedList(page, await countTemplates(ctx, sort, page.rows[0]), (template) => ({
      ...templateListItem(template),
      has_draft: template.currentVersionId !== template.publishedVersionId,
    }));
  },
});
