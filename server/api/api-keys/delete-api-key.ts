import { z } from "zod";

import { revokeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteApiKey = defineEndpoint({
  method: "DELETE",
  path: "/api-keys/{id}",
  summary: "Delete an API key",
  description: "Revokes the key immediately and cancels its scheduled emails.",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().toLowerCase().describe("The key's ID, not the secret") }),
  notFound: "API key not found",
  response: z.object({
    object: z.literal("api_key").describe("Object type"),
    id: z.uuid().describe("The key's ID, not the secret"),
    deleted: z.literal(true).describe("Always `true`"),
  }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => {
    await revokeApiKey(ctx, id);
    return { object: "api_key" as const, id, deleted: true as const };
  },
});
