import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { countKeys, listKeysWithCreators } from "#server/core/access/api-keys/key-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { ApiKeyRow, apiKeyRow } from "./api-key-row.ts";

export const listApiKeys = defineEndpoint({
  method: "GET",
  path: "/console/api/api-keys",
  summary: "List API keys",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(
    z.object({
      state: z.enum(["active", "revoked"]).optional().describe("Defaults to `active`"),
      sort: sortQuery(["name", "used", "created"], "-created"),
    }),
  ),
  response: countedListOf(ApiKeyRow),
  refusals: ["invalid"],
  async handle({ ctx, query: { state, sort, ...request } }) {
    const filter = { isRevoked: state === "revoked" };
    const page = await listKeysWithCreators(ctx, request, filter, sort);
    return countedList(page, await countKeys(ctx, filter, sort, page.rows[0]), apiKeyRow);
  },
});
