import { z } from "zod";

import { revokeApiKey as revoke } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ApiKeyPath, NOT_FOUND } from "./api-key-row.ts";

export const revokeApiKey = defineEndpoint({
  method: "DELETE",
  path: "/console/api/api-keys/{id}",
  summary: "Revoke an API key and cancel its scheduled emails",
  permission: "console",
  privilege: "api_controls",
  params: ApiKeyPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    await revoke(ctx, id);
    return { id };
  },
});
