import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  type DeletedList,
  deletePermanently,
  listDeleted,
  restoreDeleted,
} from "#server/core/operations/deleted-items/deleted-items.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";

const DeletedPath = pathOf("Not found. It was restored or deleted permanently", { id: z.uuid() });

const DAY_MS = 86_400_000;

function shownDeleted(item: DeletedList["page"]["rows"][number], keptDays: number) {
  const { id, kind, name, title, messages, storageBytes, deletedBy, createdAt, deliversTo } = item;
  return {
    id,
    kind,
    name,
    title,
    deliversTo,
    messages,
    storageBytes,
    deletedBy,
    deletedAt: consoleTimestamp(createdAt),
    finalAt: new Date(Date.parse(createdAt) + keptDays * DAY_MS).toISOString(),
  };
}

/** Deleted objects that owners can restore. */
export const deletedItemsConsole = pageEndpoints("console", "deletedItems", {
  list: read({
    privilege: "owner",
    query: PageQuery.and(z.object({ sort: sortQuery(["created"], "-created") })),
    async handle({ ctx, query: { sort, ...request } }) {
      const { page, keptDays, storageBytes } = await listDeleted(ctx, {
        ...request,
        direction: sort.direction,
      });
      return {
        ...(await countedList(page, (item) => shownDeleted(item, keptDays))),
        keptDays,
        storageBytes,
      };
    },
  }),

  restore: change({
    privilege: "owner",
    params: DeletedPath,
    async handle({ ctx, params }) {
      const { kind, name, loweredQuotaMb } = await restoreDeleted(ctx, params.id);
      return { kind, name, loweredQuotaMb };
    },
  }),

  deletePermanently: change({
    privilege: "owner",
    params: DeletedPath,
    async handle({ ctx, params }) {
      const { kind, name } = await deletePermanently(ctx, params.id);
      return { kind, name };
    },
  }),
});
