import { z } from "zod";

import { addAlias as add } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AliasObject, aliasObject } from "./alias-object.ts";
import { NewAddress } from "./mailbox-fields.ts";
import { MAILBOX_NOT_FOUND, MailboxPath } from "./mailbox-object.ts";

export const addAlias = defineEndpoint({
  method: "POST",
  path: "/mailboxes/{email}/aliases",
  summary: "Add an alias to a mailbox",
  description:
    "The mailbox immediately receives mail at the alias and can send from it. The alias `*@example.com` is a catch-all: it receives mail to all addresses of the domain that don't exist, and can't be sent from.",
  permission: "full_access",
  privilege: "update_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  params: MailboxPath,
  notFound: MAILBOX_NOT_FOUND,
  body: z.object({
    address: NewAddress.describe(
      "An unused address in one of the company's verified domains. The same rules apply as for mailbox addresses. `*@` and a domain is a catch-all",
    ),
  }),
  response: AliasObject,
  refusals: [
    "not_found",
    "missing_required_field",
    "invalid",
    "already_exists",
    "payload_too_large",
    "mail_server_error",
  ],
  handle: async ({ ctx, key, params, body }) =>
    aliasObject(await add(ctx, key, params.email, body.address)),
});
