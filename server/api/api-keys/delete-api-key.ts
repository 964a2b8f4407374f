import { z } from "zod";

import { revokeApiKey } from "#server/core/access/api-keys/revoke-api-key.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteApiKey = defineEndpoint({
  method: "DELETE",
  path: "/api-keys/{id}",
  summary: "Revoke an API key at once, and cancel what it scheduled",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().toLowerCase().describe("Id of the key, not the secret") }),
  notFound: "API key not found",
  response: z.object({
    object: z.literal("api_key").describe("What kind of object this is"),
    id: z.uuid().describe("Id of the key, which is not the secret"),
    deleted: z.literal(true).describe("It is revoked"),
  }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => {
    await revokeApiKey(ctx, id);
    return { object: "api_key" as const, id, deleted: true as const };
  },
});
