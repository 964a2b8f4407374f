import { z } from "zod";

import { renameApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name } from "./api-key-fields.ts";

export const updateApiKey = defineEndpoint({
  method: "PATCH",
  path: "/api-keys/{id}",
  summary: "Rename an API key",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().toLowerCase().describe("The key's ID, not the secret") }),
  notFound: "API key not found",
  body: z.object({ name: Name }),
  response: z.object({
    object: z.literal("api_key").describe("Object type"),
    id: z.uuid().describe("The key's ID, not the secret"),
  }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body: { name } }) => {
    await renameApiKey(ctx, id, name);
    return { object: "api_key" as const, id };
  },
});
