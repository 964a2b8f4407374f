import { z } from "zod";

import { listKeysWithCreators } from "#server/core/access/api-keys/list-keys-with-creators.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { ApiKeyRow, apiKeyRow } from "./api-key-row.ts";

export const listApiKeys = defineEndpoint({
  method: "GET",
  path: "/console/api/api-keys",
  summary: "List API keys, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(
    z.object({ state: z.enum(["active", "revoked"]).optional().describe("Defaults to `active`") }),
  ),
  response: listOf(ApiKeyRow),
  refusals: ["invalid"],
  handle: async ({ ctx, query: { state, ...page } }) =>
    listObject(
      await listKeysWithCreators(ctx, page, { isRevoked: state === "revoked" }),
      apiKeyRow,
    ),
});
