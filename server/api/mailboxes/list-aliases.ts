import { listAliases as list } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf } from "#server/http/pagination.ts";

import { AliasObject, aliasObject } from "./alias-object.ts";
import { MAILBOX_NOT_FOUND, MailboxPath } from "./mailbox-object.ts";

export const listAliases = defineEndpoint({
  method: "GET",
  path: "/mailboxes/{email}/aliases",
  summary: "List a mailbox's aliases",
  description: "Ordered by address. The list is not paginated.",
  permission: "full_access",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  response: listOf(AliasObject),
  refusals: ["not_found"],
  handle: async ({ ctx, key, params }) =>
    listObject({ rows: await list(ctx, key, params.email), hasMore: false }, aliasObject),
});
