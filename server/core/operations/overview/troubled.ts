/** What needs attention: how many there are, and the first of them. */
export type Troubled<Item> = { count: number; first: Item[] };

export const FIRST_MAX = 5;

/** The first rows of a query that counts all of them beside each. */
export const troubledOf = <Item>(rows: (Item & { count: number })[]): Troubled<Item> => ({
  count: rows[0]?.count ?? 0,
  first: rows,
});
