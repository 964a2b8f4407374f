import { z } from "zod";

import { listSuppressions as list } from "#server/core/sending/suppressions/list-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import {
  Origin,
  storedOrigins,
  SuppressionObject,
  suppressionObject,
} from "./suppression-object.ts";

export const listSuppressions = defineEndpoint({
  method: "GET",
  path: "/suppressions",
  summary: "List suppressions",
  description: "Newest first.",
  permission: "full_access",
  privilege: "api_controls",
  query: PageQuery.and(
    z.object({ origin: Origin.optional().describe("Only suppressions with this origin") }),
  ),
  response: listOf(SuppressionObject),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) =>
    listObject(
      await list(ctx, query, query.origin ? storedOrigins(query.origin) : null),
      suppressionObject,
    ),
});
