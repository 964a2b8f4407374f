import { Refusal } from "#server/core/shared/refusals.ts";

import type { Deleted } from "./find-deleted.ts";

/** What to do about a name that a deleted item has reserved. */
export function reservedText(name: string, item: Pick<Deleted, "kind" | "name">): string {
  const kind = item.kind === "inbound" ? "inbound address" : item.kind;
  const of = item.name === name ? `a deleted ${kind}` : `the deleted ${kind} ${item.name}`;
  return `${name} is reserved for ${of}. An owner can restore it, or delete it permanently, on the Deleted page of the console`;
}

/** @param field the request field, for forms */
export const reservedByDeleted = (address: string, item: Deleted, field: string) =>
  new Refusal("already_exists", reservedText(address, item), { field });
