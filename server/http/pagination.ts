import { z } from "zod";

import type { Page, PageRequest } from "#server/core/shared/paging/page.ts";

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

const ONCE = { error: "must be given once" };
const LIMIT = { error: `must be a whole number from 1 to ${LIMIT_MAX}` };

/** Query parameters that every list takes. */
export const PageQuery = z
  .object({
    limit: z
      .string(ONCE)
      .regex(/^\d{1,3}$/, LIMIT)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, LIMIT)
      .optional()
      .meta({
        description: "Objects on the page; 20 when left out",
        ...{ type: "integer", minimum: 1, maximum: LIMIT_MAX },
      }),
    after: z.string(ONCE).optional().describe("Id of an object: the page starts behind it"),
    before: z.string(ONCE).optional().describe("Id of an object: the page ends in front of it"),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    error: "Use either after or before, not both",
  })
  .transform(({ limit, after, before }): PageRequest => ({
    limit: limit ?? LIMIT_DEFAULT,
    after: after ?? null,
    before: before ?? null,
  }));

/** The envelope of a list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal("list").describe("What kind of object this is"),
    has_more: z.boolean().describe("More objects exist beyond this page in the paging direction"),
    data: z.array(item).describe("The objects, in list order"),
  });

export function listObject<Row, Item>({ rows, hasMore }: Page<Row>, toItem: (row: Row) => Item) {
  return { object: "list" as const, has_more: hasMore, data: rows.map(toItem) };
}
