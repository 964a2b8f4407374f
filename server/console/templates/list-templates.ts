import { z } from "zod";

import { templateListItem, TemplateListItem } from "#server/api/templates/template-object.ts";
import { countedList, countedListOf } from "#server/console/counted-list.ts";
import {
  countTemplates,
  listTemplates as list,
} from "#server/core/sending/templates/list-templates.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

export const listTemplates = defineEndpoint({
  method: "GET",
  path: "/console/api/templates",
  summary: "List templates, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery,
  response: countedListOf(TemplateListItem.extend({ has_draft: z.boolean() })),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const page = await list(ctx, query);
    return countedList(page, await countTemplates(ctx, page.rows[0]), (template) => ({
      ...templateListItem(template),
      has_draft: template.currentVersionId !== template.publishedVersionId,
    }));
  },
});
