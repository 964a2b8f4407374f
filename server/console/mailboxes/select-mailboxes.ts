import { listMailboxes as list } from "#server/core/mailboxes/mailboxes/list-mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf } from "#server/http/pagination.ts";

import { MailboxFilterQuery } from "./mailbox-filter.ts";
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
  query: MailboxFilterQuery,
  response: listOf(MailboxRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query }) {
    const first = { limit: MAILBOXES_MAX, after: null, before: null };
    return listObject(await list(ctx, signedIn, first, query), (mailbox) =>
      mailboxRow(signedIn, mailbox),
    );
  },
});
