import { useSearchParams } from "next/navigation";

import { updateSearch } from "./url-search.ts";

/** A sort order as the server knows it: "name", or "-name" for descending. */
type SortOrder<Key extends string = string> = Key | `-${Key}`;

export const isDescending = (order: string): boolean => order.startsWith("-");
export const sortKey = (order: string): string => order.replace(/^-/, "");

/**
 * The order and hidden columns of a list, kept in its URL, so that links and Back restore them.
 *
 * @param orders the orders that the server offers, the default first
 */
export function useListParams<Key extends string>(orders: readonly [Key, ...Key[]]) {
  const search = useSearchParams();
  const asked = search.get("sort") ?? "";
  const isOffered = (orders as readonly string[]).includes(sortKey(asked));
  return {
    sort: (isOffered ? asked : orders[0]) as SortOrder<Key>,
    hidden: new Set((search.get("hide") ?? "").split(",").filter(Boolean)) as ReadonlySet<string>,
  };
}

/** Sorts by a column; again, in the other direction. */
export function toggleSort(current: string, key: string, isDefault: boolean): void {
  const next = current === key ? `-${key}` : key;
  updateSearch({ sort: isDefault && next === key ? "" : next });
}

export function toggleColumn(hidden: ReadonlySet<string>, column: string): void {
  const others = [...hidden].filter((name) => name !== column);
  const next = hidden.has(column) ? others : [...others, column];
  // Keeps the page position: other columns show the same rows.
  const search = new URLSearchParams(window.location.search);
  if (next.length === 0) search.delete("hide");
  else search.set("hide", next.join(","));
  window.history.replaceState(null, "", `?${search}`);
}
