import { z } from "zod";

import { listEmailEvents as list } from "#server/core/sending/emails/list-email-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EmailEventObject, emailEventObject } from "./email-event-object.ts";

export const listEmailEvents = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/events",
  summary: "Read an email's history, oldest first",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("Id of the email") }),
  notFound: "Email not found",
  query: PageQuery,
  response: listOf(EmailEventObject),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, query), emailEventObject),
});
