import { z } from "zod";

import type { CountedPage, Page, PageRequest, Sort } from "#server/core/shared/paging/pages.ts";
import type { SearchedPage } from "#server/core/shared/paging/search-by-time.ts";

import { consoleTimestamp } from "./timestamps.ts";

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

const ONCE = { error: "must appear only once" };
const LIMIT = { error: `must be a whole number from 1 to ${LIMIT_MAX}` };

/** Query parameters common to all lists. */
export const PageQuery = z
  .object({
    limit: z
      .string(ONCE)
      .regex(/^\d{1,3}$/, LIMIT)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, LIMIT)
      .optional()
      .meta({
        description: "Number of objects to return",
        type: "integer",
        minimum: 1,
        maximum: LIMIT_MAX,
        default: LIMIT_DEFAULT,
      }),
    after: z
      .string(ONCE)
      .optional()
      .describe("Cursor: return the objects that come after this one in list order"),
    before: z
      .string(ONCE)
      .optional()
      .describe("Cursor: return the objects that come before this one in list order"),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    error: "Use either after or before, not both",
  })
  .transform(({ limit, after, before }): PageRequest => ({
    limit: limit ?? LIMIT_DEFAULT,
    after: after ?? null,
    before: before ?? null,
  }));

/** The response schema of a list. */
export const listResponse = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal("list").describe("Object type"),
    has_more: z
      .boolean()
      .describe("Whether more objects exist beyond this page in the paging direction"),
    data: z.array(item).describe("The objects, in list order"),
  });

export const listObject = <Row, Item>(
  { rows, hasMore }: Page<Row>,
  toItem: (row: Row) => Item,
) => ({ object: "list" as const, has_more: hasMore, data: rows.map(toItem) });

/** One page of a list, as console endpoints return it. */
export const pageList = <Row, Item>({ rows, hasMore }: Page<Row>, toItem: (row: Row) => Item) => ({
  hasMore,
  data: rows.map(toItem),
});

/** A list with its size and the page's position, each up to 10,000. `counts` is null if a filter makes counting slow. */
export async function countedList<Row, Item>(page: CountedPage<Row>, toItem: (row: Row) => Item) {
  const counts = await page.count();
  return {
    ...pageList(page, toItem),
    counts: counts && { before: counts.before, total: counts.total, isCut: counts.isCut },
  };
}

/** A page of a search that stops at a row limit, with the place where it stopped. */
export const searchedList = async <Row, Item>(
  page: SearchedPage<Row>,
  toItem: (row: Row) => Item,
) => ({
  ...(await countedList(page, toItem)),
  searchedTo: page.searchedTo && {
    id: page.searchedTo.id,
    createdAt: consoleTimestamp(page.searchedTo.createdAt),
  },
});

/**
 * The query parameter for a list's order: a key, or the key with a minus for descending.
 *
 * @param standard the order without the parameter
 */
export const sortQuery = <const Key extends string>(
  keys: readonly Key[],
  standard: NoInfer<Key | `-${Key}`>,
) =>
  z
    .enum(keys.flatMap((key) => [key, `-${key}`] as const))
    .optional()
    .describe(`Descending with a minus; \`${standard}\` by default`)
    .transform((asked): Sort<Key> => {
      const order: string = asked ?? standard;
      return {
        by: order.replace(/^-/, "") as Key,
        direction: order.startsWith("-") ? "descending" : "ascending",
      };
    });

/** Postgres has no year 0. */
const hasYear = (text: string) => !text.startsWith("0000");

/** Schema of an RFC 3339 timestamp in a query string. */
export const momentQuery = (error: string, { offset = true }: { offset?: boolean } = {}) =>
  z.iso.datetime({ offset, error }).refine(hasYear, { error });
