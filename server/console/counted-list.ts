import { z } from "zod";

import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import type { Page } from "#server/core/shared/paging/page.ts";
import { listObject, listOf } from "#server/http/pagination.ts";

/** The response schema of a list with its size and the place of the page. */
export const countedListOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({
    counts: z
      .object({
        before: z.int().describe("Rows before this page"),
        total: z.int(),
        is_cut: z.boolean().describe("There are more than `total`"),
      })
      .nullable()
      .describe("Up to 10,000 each. Null if a filter makes counting slow"),
  });

export const countedList = <Row, Item>(
  page: Page<Row>,
  counts: ListCounts | null,
  toItem: (row: Row) => Item,
) => ({
  ...listObject(page, toItem),
  counts: counts && { before: counts.before, total: counts.total, is_cut: counts.isCut },
});
