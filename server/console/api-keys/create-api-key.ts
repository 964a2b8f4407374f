import { z } from "zod";

import { createApiKey as create, KEY_PERMISSIONS } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createApiKey = defineEndpoint({
  method: "POST",
  path: "/console/api/api-keys",
  summary: "Create an API key with the signed-in admin's privileges",
  permission: "console",
  privilege: "api_controls",
  body: z.object({
    name: z.string(),
    permission: z.enum(KEY_PERMISSIONS),
    domain_id: z.string().nullable(),
    allowed_addresses: z.array(z.string()),
  }),
  response: z.object({ id: z.uuid(), token: z.string().describe("Can't be retrieved again") }),
  refusals: ["invalid"],
  handle: ({ ctx, signedIn, body }) =>
    create(ctx, {
      creatorId: signedIn.id,
      name: body.name,
      permission: body.permission,
      domainId: body.domain_id,
      allowedAddresses: body.allowed_addresses,
    }),
});
