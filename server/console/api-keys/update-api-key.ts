import { z } from "zod";

import { changeKeyAddresses, renameApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ApiKeyPath, NOT_FOUND } from "./api-key-row.ts";

export const updateApiKey = defineEndpoint({
  method: "PATCH",
  path: "/console/api/api-keys/{id}",
  summary: "Rename an active API key or replace its allow-list",
  permission: "console",
  privilege: "api_controls",
  params: ApiKeyPath,
  notFound: NOT_FOUND,
  body: z.object({
    name: z.string().optional(),
    allowed_addresses: z.array(z.string()).optional(),
  }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    if (body.allowed_addresses) await changeKeyAddresses(ctx, id, body.allowed_addresses);
    if (body.name !== undefined) await renameApiKey(ctx, id, body.name);
    return { id };
  },
});
