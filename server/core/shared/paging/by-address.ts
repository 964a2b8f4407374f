import { and, asc, desc, gt, lt, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";

import { invalidCursor, type PageRequest } from "./page.ts";

/**
 * Query parts for a page of a list ordered by address, with addresses as cursors. Read `limit + 1` rows, as
 * `toPage` expects. The caller must check that `cursor` is in the list.
 *
 * @throws Refusal `invalid` for a cursor that isn't an address
 */
export function pageByAddress(address: PgColumn, inList: SQL | undefined, page: PageRequest) {
  const cursor = readAddressCursor(page.after ?? page.before);
  const isForward = page.before === null;
  const beyond = cursor === null ? undefined : (isForward ? gt : lt)(address, cursor);
  return {
    cursor,
    where: and(inList, beyond),
    orderBy: (isForward ? asc : desc)(address),
  };
}

/**
 * An unencoded plus in a query string arrives as a space, which addresses never contain.
 *
 * @throws Refusal `invalid` for text that isn't an address
 */
export function readAddressCursor(text: string | null): string | null {
  if (text === null) return null;
  const address = readBareAddress(text.replaceAll(" ", "+"));
  if (address === null) throw invalidCursor();
  return address;
}
