import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { listDeleted as list } from "#server/core/operations/deleted-items/deleted-items.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { DeletedRow, deletedRow } from "./deleted-row.ts";

export const listDeleted = defineEndpoint({
  method: "GET",
  path: "/console/api/deleted",
  summary: "List what was deleted and can be restored",
  permission: "console",
  privilege: "owner",
  query: PageQuery.and(z.object({ sort: sortQuery(["created"], "-created") })),
  response: countedListOf(DeletedRow).extend({
    kept_days: z.int().describe("How long deleted items can be restored"),
    storage_bytes: z.int().describe("Storage of all deleted mailboxes"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { sort, ...request } }) {
    const { page, counts, keptDays, storageBytes } = await list(ctx, {
      ...request,
      direction: sort.direction,
    });
    return {
      ...countedList(page, counts, (item) => deletedRow(item, keptDays)),
      kept_days: keptDays,
      storage_bytes: storageBytes,
    };
  },
});
