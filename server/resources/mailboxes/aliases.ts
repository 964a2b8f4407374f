import { z } from "zod";

import type { Alias } from "#drizzle/schema/index.ts";
import { addAlias, listAliases, removeAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listResponse } from "#server/http/lists.ts";

import { MailboxPath, NewAddress } from "./api.ts";

const object = z.literal("alias").describe("Object type");

const address = z.string().describe("Lowercase address");

const mailbox = z.string().describe("Address of the mailbox the alias belongs to");

const AliasObject = z
  .object({
    object,
    address,
    mailbox,
    active: z.boolean().describe("Whether mail to the address is accepted"),
  })
  .meta({ id: "Alias" });

const AliasRemoved = z
  .object({
    object,
    address,
    mailbox,
    deleted: z.literal(true).describe("Always `true`"),
  })
  .meta({ id: "AliasRemoved" });

const AliasPath = MailboxPath.extend({
  address: z.string().describe("The alias. Case is ignored; URL-encoding the @ is optional"),
});

const aliasObject = ({ address, mailbox, active }: Alias) => ({
  object: "alias" as const,
  address,
  mailbox,
  active,
});

const ANN = "ann@shop.example";

const SALES = "sales@shop.example";

const shown = { object: "alias", address: SALES, mailbox: ANN, active: true };

export const aliasExamples: Record<string, Example> = {
  "GET /mailboxes/{email}/aliases": {
    params: { email: ANN },
    answer: { object: "list", has_more: false, data: [shown] },
    sdk: ["get", `/mailboxes/${ANN}/aliases`],
  },
  "POST /mailboxes/{email}/aliases": {
    params: { email: ANN },
    body: { address: SALES },
    answer: shown,
    sdk: ["post", `/mailboxes/${ANN}/aliases`, { address: SALES }],
  },
  "DELETE /mailboxes/{email}/aliases/{address}": {
    params: { email: ANN, address: SALES },
    answer: { object: "alias", address: SALES, mailbox: ANN, deleted: true },
    sdk: ["delete", `/mailboxes/${ANN}/aliases/${SALES}`],
  },
};

export const aliasesApi = {
  list: defineEndpoint("GET", "/mailboxes/{email}/aliases", {
    summary: "List a mailbox's aliases",
    description: "Ordered by address. The list is not paginated.",
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    response: listResponse(AliasObject),
    handle: async ({ ctx, key, params }) =>
      listObject({ rows: await listAliases(ctx, key, params.email), hasMore: false }, aliasObject),
  }),

  add: defineEndpoint("POST", "/mailboxes/{email}/aliases", {
    summary: "Add an alias to a mailbox",
    description:
      "The mailbox immediately receives mail at the alias and can send from it. The alias `*@example.com` is a catch-all: it receives mail to all addresses of the domain that don't exist, and can't be sent from.",
    privilege: "update_users",
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z.object({
      address: NewAddress.describe(
        "An unused address in one of the company's verified domains. The same rules apply as for mailbox addresses. `*@` and a domain is a catch-all",
      ),
    }),
    response: AliasObject,
    refusals: [
      "missing_required_field",
      "already_exists",
      "payload_too_large",
      "mail_server_error",
    ],
    handle: async ({ ctx, key, params, body }) =>
      aliasObject(await addAlias(ctx, key, params.email, body.address)),
  }),

  remove: defineEndpoint("DELETE", "/mailboxes/{email}/aliases/{address}", {
    summary: "Remove an alias",
    description: "Mail to the alias is no longer accepted.",
    privilege: "update_users",
    admitsUnitRoles: true,
    params: AliasPath,
    response: AliasRemoved,
    refusals: ["mail_server_error"],
    async handle({ ctx, key, params }) {
      const { address, mailbox } = await removeAlias(ctx, key, params.email, params.address);
      return { object: "alias" as const, address, mailbox, deleted: true as const };
    },
  }),
};
