import { z } from "zod";

import { createInboundAddress as create } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

import { InboundAddressObject, inboundAddressObject } from "./inbound-address-object.ts";

export const createInboundAddress = defineEndpoint({
  method: "POST",
  path: "/inbound-addresses",
  summary: "Create an inbound address",
  description:
    "Mail to the address, with or without a tag (`support+1042@`), becomes a received email. `*@reply.example.com` is a catch-all: it receives mail to all addresses of the domain that don't exist. A company can have 100 inbound addresses.",
  permission: "full_access",
  privilege: "manage_groups",
  bodyLimit: "directory",
  body: z.object({
    address: blankIsMissing(z.string())
      .meta({ type: "string" })
      .describe(
        "An unused address in one of the company's verified domains, or `*@` followed by such a domain",
      ),
  }),
  response: InboundAddressObject,
  refusals: ["missing_required_field", "invalid", "already_exists", "not_allowed"],
  handle: async ({ ctx, body }) => inboundAddressObject(await create(ctx, body.address)),
});
