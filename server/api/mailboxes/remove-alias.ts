import { removeAlias as remove } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AliasPath, AliasRemoved } from "./alias-object.ts";
import { MAILBOX_NOT_FOUND } from "./mailbox-object.ts";

export const removeAlias = defineEndpoint({
  method: "DELETE",
  path: "/mailboxes/{email}/aliases/{address}",
  summary: "Remove an alias",
  description: "Mail to the alias is no longer accepted.",
  permission: "full_access",
  privilege: "update_users",
  admitsUnitRoles: true,
  params: AliasPath,
  notFound: MAILBOX_NOT_FOUND,
  response: AliasRemoved,
  refusals: ["not_found", "mail_server_error"],
  async handle({ ctx, key, params }) {
    const { address, mailbox } = await remove(ctx, key, params.email, params.address);
    return { object: "alias" as const, address, mailbox, deleted: true as const };
  },
});
