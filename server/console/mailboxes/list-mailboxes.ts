import { listMailboxes as list } from "#server/core/mailboxes/mailboxes/list-mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { MailboxFilterQuery } from "./mailbox-filter.ts";
import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes",
  summary: "List mailboxes by address",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(MailboxFilterQuery),
  response: listOf(MailboxRow),
  refusals: ["invalid"],
  handle: async ({ ctx, signedIn, query: { search, domain, status, unit, ...page } }) =>
    listObject(await list(ctx, signedIn, page, { search, domain, status, unit }), (mailbox) =>
      mailboxRow(signedIn, mailbox),
    ),
});
