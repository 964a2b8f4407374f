import { useSearchParams } from "next/navigation";

import { updateSearch } from "./url-search.ts";

/** A sort order as the server knows it: "name", or "-name" for descending. */
type KeyOf<Order extends string> = Order extends `-${infer Key}` ? Key : Order;
type SortOrder<Key extends string> = Key | `-${Key}`;

/** The orders of a list that offers `Orders`. */
export type SortOf<Orders extends readonly string[]> = SortOrder<KeyOf<Orders[number]>>;

/** The orders of a list that is sorted by time. */
export const TIME_SORTS = ["-created"] as const;

type Sortable = { columns: Readonly<Record<string, { sort?: string }>>; standardSort?: string };

export const isDescending = (order: string): boolean => order.startsWith("-");
export const sortKey = (order: string): string => order.replace(/^-/, "");
export const reversed = (order: string): string =>
  isDescending(order) ? sortKey(order) : `-${order}`;

/** The order without a parameter in the URL: by default, of the first sortable column. */
export const defaultOrder = ({ columns, standardSort }: Sortable): string =>
  standardSort ?? Object.values(columns).find(({ sort }) => sort !== undefined)?.sort ?? "";

/**
 * The order and hidden columns of a list, kept in its URL, so that links and Back restore them.
 *
 * @param orders the orders that the server offers, the default first
 */
export function useListParams<const Order extends string>(orders: readonly [Order, ...Order[]]) {
  const search = useSearchParams();
  const asked = search.get("sort") ?? "";
  const isOffered = orders.map(sortKey).includes(sortKey(asked));
  return {
    sort: (isOffered ? asked : orders[0]) as SortOrder<KeyOf<Order>>,
    hidden: hiddenColumns(search),
  };
}

/**
 * Sorts by a column; again, in the other direction.
 *
 * @param standard the order without a parameter in the URL
 */
export function toggleSort(order: string, standard: string): void {
  updateSearch((search) => {
    const next = (search.get("sort") ?? standard) === order ? reversed(order) : order;
    return { sort: next === standard ? "" : next };
  });
}

const hiddenColumns = (search: URLSearchParams): ReadonlySet<string> =>
  new Set((search.get("hide") ?? "").split(",").filter(Boolean));

/** Hides a column, or shows it again. Starts from the current URL, as `updateSearch` does. */
export function toggleColumn(column: string): void {
  const search = new URLSearchParams(window.location.search);
  const next = hiddenColumns(search).symmetricDifference(new Set([column]));
  // Keeps the page position: other columns show the same rows.
  if (next.size === 0) search.delete("hide");
  else search.set("hide", [...next].join(","));
  window.history.replaceState(null, "", `?${search}`);
}
