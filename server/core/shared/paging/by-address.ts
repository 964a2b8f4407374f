import { and, asc, desc, gt, lt, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";

import { invalidCursor, type PageRequest } from "./page.ts";

/**
 * How to read a page of a list that is ordered by address, with addresses as cursors. Read `limit + 1`
 * rows, as `pageOf` wants them. Whoever reads it sees to it that `cursor` is in the list.
 *
 * @throws Refusal `invalid` for a cursor that is no address
 */
export function byAddress(address: PgColumn, inList: SQL | undefined, page: PageRequest) {
  const cursor = readCursor(page.after ?? page.before);
  const isForward = page.before === null;
  const beyond = cursor === null ? undefined : (isForward ? gt : lt)(address, cursor);
  return {
    cursor,
    where: and(inList, beyond),
    orderBy: (isForward ? asc : desc)(address),
  };
}

/** In a query a plus that was not encoded is a space; no address has one. */
function readCursor(text: string | null): string | null {
  if (text === null) return null;
  const address = readBareAddress(text.replaceAll(" ", "+"));
  if (address === null) throw invalidCursor();
  return address;
}
