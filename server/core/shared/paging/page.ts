import { Refusal } from "#server/core/shared/refusals.ts";

/** At most one of `after` and `before` is set. */
export type PageRequest = { limit: number; after: string | null; before: string | null };

export type Direction = "ascending" | "descending";

/** A place in a list sorted by (created_at, id): that of a row, which may be gone. */
export type Place = { id: string; createdAt: string };

/** A request for a page of a list sorted by time, newest first if the direction is left out. */
export type DirectedPageRequest = PageRequest & {
  direction?: Direction;
  /** The page begins after this place. Instead of `after`, whose row must exist. */
  start?: Place | null;
};

/** Rows in list order. */
export type Page<Row> = {
  rows: Row[];
  /** More rows exist beyond the page in the paging direction. */
  hasMore: boolean;
};

/**
 * Cuts a page from `limit + 1` rows that start at the cursor: in list order, or in reverse when paging
 * towards the beginning.
 */
export function toPage<Row>(rows: Row[], { limit, before }: PageRequest): Page<Row> {
  const page = rows.slice(0, limit);
  return { rows: before === null ? page : page.reverse(), hasMore: rows.length > limit };
}

export const invalidCursor = () => new Refusal("invalid", "Invalid pagination cursor");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is valid for a uuid column. */
export const isUuid = (text: string) => UUID.test(text);
