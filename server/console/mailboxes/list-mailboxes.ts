import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { countMailboxes, searchMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { MailboxSearchQuery, readMailboxSearch } from "./mailbox-filter.ts";
import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes",
  summary: "List mailboxes",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(MailboxSearchQuery),
  response: countedListOf(MailboxRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query: { limit, after, before, ...query } }) {
    const { filter, sort } = readMailboxSearch(query);
    const page = await searchMailboxes(ctx, signedIn, { limit, after, before }, filter, sort);
    const first = page.rows[0]?.address;
    const counts = await countMailboxes(ctx, signedIn, filter, sort, first);
    return countedList(page, counts, (mailbox) => mailboxRow(signedIn, mailbox));
  },
});
