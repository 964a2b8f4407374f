import { z } from "zod";

import { KEY_PERMISSIONS } from "#server/core/access/api-keys/api-keys.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";
import { listApiKeys as list, type ListedApiKey } from "#server/core/access/api-keys/key-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

const ApiKeyListItem = z.object({
  id: z.uuid().describe("The key's ID, not the secret; also the pagination cursor"),
  name: z.string().describe("Name of the key"),
  permission: z
    .enum(KEY_PERMISSIONS)
    .describe("`sending_access` can only send; `test` works in test mode"),
  domain_id: z
    .uuid()
    .nullable()
    .describe("The domain a sending key is restricted to; otherwise null"),
  created_at: z.string().describe("When the key was created"),
  last_used_at: z
    .string()
    .nullable()
    .describe("When the key was last used, updated at most once a minute; null if never"),
});

const orNull = (moment: string | null) => (moment === null ? null : apiTimestamp(moment));

const apiKeyListItem = (key: ListedApiKey): z.input<typeof ApiKeyListItem> => ({
  id: key.id,
  name: key.name,
  permission: key.permission,
  domain_id: key.domainId,
  created_at: apiTimestamp(key.createdAt),
  last_used_at: orNull(key.lastUsedAt),
});

export const listApiKeys = defineEndpoint({
  method: "GET",
  path: "/api-keys",
  summary: "List API keys",
  description: "Active keys, newest first.",
  permission: "full_access",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(ApiKeyListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), apiKeyListItem),
});
