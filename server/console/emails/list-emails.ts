import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { searchEmails } from "#server/core/sending/emails/search-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { emailFilters, EmailQuery } from "./email-query.ts";
import { EmailRow, emailRow } from "./email-row.ts";

export const listEmails = defineEndpoint({
  method: "GET",
  path: "/console/api/emails",
  summary: "List or find emails, newest first",
  description:
    "What is rare is looked for in steps: an answer with `searched_to` has what was found until then, and a call from there goes on.",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(EmailQuery),
  response: listOf(EmailRow).extend({
    searched_to: z
      .object({ id: z.uuid(), at: z.string() })
      .nullable()
      .describe("The last email that was looked at, when there was no time to look at all"),
  }),
  refusals: ["invalid"],
  handle: async ({ ctx, query: { limit, after, before, ...query } }) => {
    const found = await searchEmails(ctx, { limit, after, before }, emailFilters(query));
    const { searchedTo } = found;
    return {
      ...listObject(found, emailRow),
      searched_to: searchedTo && { id: searchedTo.id, at: consoleTimestamp(searchedTo.createdAt) },
    };
  },
});
