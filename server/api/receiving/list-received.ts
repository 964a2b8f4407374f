import { listReceived as list } from "#server/core/mail/received/list-received.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { receivedListItem, ReceivedListItem } from "./received-object.ts";

export const listReceived = defineEndpoint({
  method: "GET",
  path: "/emails/receiving",
  summary: "List received emails",
  description:
    "What your inbound addresses received, newest first. Emails are kept for 30 days unless the operator sets another time.",
  permission: "full_access",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(ReceivedListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), receivedListItem),
});
