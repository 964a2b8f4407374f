import { z } from "zod";

import { listDeleted as list } from "#server/core/operations/deleted-items/list-deleted.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { DeletedRow, deletedRow } from "./deleted-row.ts";

export const listDeleted = defineEndpoint({
  method: "GET",
  path: "/console/api/deleted",
  summary: "List what was deleted and can be restored, newest first",
  permission: "console",
  privilege: "owner",
  query: PageQuery,
  response: listOf(DeletedRow).extend({
    kept_days: z.int().describe("How long deleted items can be restored"),
    storage_bytes: z.int().describe("Storage of all deleted mailboxes"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const { page, keptDays, storageBytes } = await list(ctx, query);
    return {
      ...listObject(page, (item) => deletedRow(item, keptDays)),
      kept_days: keptDays,
      storage_bytes: storageBytes,
    };
  },
});
