import { z } from "zod";

import { listMailboxes as list } from "#server/core/mailboxes/list-mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { MailboxObject, mailboxObject } from "./mailbox-object.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/mailboxes",
  summary: "List mailboxes, ordered by address",
  description:
    "Cursors are addresses: give the last one of a page as `after` for the next. A creator whose role is limited to an organisational unit sees the mailboxes of that unit and those below it.",
  permission: "full_access",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(
    z.object({
      domain: z
        .string({ error: "must be given once" })
        .optional()
        .describe("Only mailboxes of this domain of the company, whose ownership is proven"),
    }),
  ),
  response: listOf(MailboxObject),
  refusals: ["invalid"],
  handle: async ({ ctx, key, query }) =>
    listObject(await list(ctx, key, query, { domain: query.domain }), mailboxObject),
});
