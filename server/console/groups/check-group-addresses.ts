import { z } from "zod";

import { findUnknownAddresses } from "#server/core/mailboxes/addresses/addresses.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const ADDRESSES_MAX = 200;

export const checkGroupAddresses = defineEndpoint({
  method: "POST",
  path: "/console/api/group-addresses/check",
  summary: "Find typing errors among addresses for a group",
  permission: "console",
  privilege: "manage_groups",
  bodyLimit: "directory",
  body: z.object({ addresses: z.array(z.string().max(320)).max(ADDRESSES_MAX) }),
  response: z.object({
    unknown: z
      .array(z.string())
      .describe("Addresses at the company’s domains that don’t exist, as written"),
  }),
  refusals: ["invalid"],
  handle: async ({ ctx, body }) => ({ unknown: await findUnknownAddresses(ctx, body.addresses) }),
});
