import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import {
  countKeys,
  listKeysWithCreators,
} from "#server/core/access/api-keys/list-keys-with-creators.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

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
  response: countedListOf(ApiKeyRow),
  refusals: ["invalid"],
  async handle({ ctx, query: { state, ...request } }) {
    const filter = { isRevoked: state === "revoked" };
    const page = await listKeysWithCreators(ctx, request, filter);
    return countedList(page, await countKeys(ctx, filter, page.rows[0]), apiKeyRow);
  },
});
