import { isDescending, sortKey } from "./list-params.ts";

type KeyOf<Order extends string> = Order extends `-${infer Key}` ? Key : Order;

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** Sorts a list that the page has whole, for which the server offers no order. Rows with equal keys keep their order. */
export function sortRows<Row, Order extends string>(
  rows: readonly Row[],
  order: Order,
  keys: Record<KeyOf<Order>, (row: Row) => string | number>,
): Row[] {
  const keyOf = keys[sortKey(order) as KeyOf<Order>];
  const sign = isDescending(order) ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(keyOf(a), keyOf(b)));
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
