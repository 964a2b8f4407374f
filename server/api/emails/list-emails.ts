import { listEmails as list } from "#server/core/sending/emails/list-emails.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EmailListItem, emailListItem } from "./email-object.ts";

export const listEmails = defineEndpoint({
  method: "GET",
  path: "/emails",
  summary: "List emails",
  description: "Newest first.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(EmailListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), emailListItem),
});
