import { searchMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf } from "#server/http/pagination.ts";

import { MailboxSearchQuery, readMailboxSearch } from "./mailbox-filter.ts";
import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

/** The limit of a bulk action. */
const MAILBOXES_MAX = 1_000;

export const selectMailboxes = defineEndpoint({
  method: "GET",
  path: "/console/api/mailbox-selection",
  summary: "List up to 1,000 mailboxes matching a filter",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: MailboxSearchQuery,
  response: listOf(MailboxRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query }) {
    const first = { limit: MAILBOXES_MAX, after: null, before: null };
    const { filter, sort } = readMailboxSearch(query);
    return listObject(await searchMailboxes(ctx, signedIn, first, filter, sort), (mailbox) =>
      mailboxRow(signedIn, mailbox),
    );
  },
});
