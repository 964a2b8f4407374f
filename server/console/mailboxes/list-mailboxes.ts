import { z } from "zod";

import { listMailboxes as list } from "#server/core/mailboxes/list-mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes",
  summary: "List mailboxes by address",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(
    z.object({
      search: z.string().max(200).optional().describe("Part of the address or the name"),
      domain: z.string().optional(),
      status: z.enum(["active", "suspended"]).optional(),
    }),
  ),
  response: listOf(MailboxRow),
  refusals: ["invalid"],
  handle: async ({ ctx, signedIn, query: { search, domain, status, ...page } }) =>
    listObject(await list(ctx, signedIn, page, { search, domain, status }), mailboxRow),
});
