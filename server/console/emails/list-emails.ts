import { listEmails as list } from "#server/core/emails/list-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EmailRow, emailRow } from "./email-row.ts";

export const listEmails = defineEndpoint({
  method: "GET",
  path: "/console/api/emails",
  summary: "List emails, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(EmailRow),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), emailRow),
});
