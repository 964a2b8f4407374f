import { z } from "zod";

import { apiTimestamp } from "#server/api/timestamp.ts";
import {
  type ListedApiKey,
  listApiKeys as list,
} from "#server/core/access/api-keys/list-api-keys.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

const ApiKeyListItem = z.object({
  id: z.uuid().describe("Names the key in paths; not the secret"),
  name: z.string().describe("What its creator calls it"),
  permission: z
    .enum(["full_access", "sending_access"])
    .describe("`sending_access` may send and nothing else"),
  domain_id: z.uuid().nullable().describe("The one domain a sending key may send from, if any"),
  created_at: z.string().describe("When it was made"),
  last_used_at: z.string().nullable().describe("Exact to a minute; null if never used"),
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
  summary: "List active API keys, newest first",
  permission: "full_access",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(ApiKeyListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), apiKeyListItem),
});
