import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { countEmails, searchEmails } from "#server/core/sending/emails/search-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { emailFilters, EmailSearchQuery } from "./email-query.ts";
import { EmailRow, emailRow } from "./email-row.ts";

export const listEmails = defineEndpoint({
  method: "GET",
  path: "/console/api/emails",
  summary: "List or search emails",
  description:
    "A search for rare emails can take several requests: a response with `searched_to` contains the matches so far. Pass its `id` as `after` or `before` to continue.",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(EmailSearchQuery),
  response: countedListOf(EmailRow).extend({
    searched_to: z
      .object({ id: z.uuid(), at: z.string() })
      .nullable()
      .describe("The last email searched if the search ran out of time; otherwise null"),
  }),
  refusals: ["invalid"],
  handle: async ({
    ctx,
    query: {
      limit,
      after,
      before,
      sort: { direction },
      ...query
    },
  }) => {
    const filters = emailFilters(query);
    const found = await searchEmails(ctx, { limit, after, before, direction }, filters);
    const { searchedTo } = found;
    return {
      ...countedList(found, await countEmails(ctx, filters, found.rows[0], direction), emailRow),
      searched_to: searchedTo && { id: searchedTo.id, at: consoleTimestamp(searchedTo.createdAt) },
    };
  },
});
