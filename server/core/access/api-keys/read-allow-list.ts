import { Refusal } from "#server/core/shared/refusals.ts";

import { readRange } from "./read-range.ts";

/** Every API call scans the list. */
const ENTRIES_MAX = 200;

/**
 * Parses a list of IP addresses and CIDR ranges into canonical form, without duplicates.
 *
 * @throws Refusal `invalid` naming the first invalid entry
 */
export function readAllowList(list: string[]): string[] {
  if (list.length > ENTRIES_MAX)
    throw invalid(`The allow-list can have at most ${ENTRIES_MAX} entries`);
  return [...new Set(list.map(readEntry))];
}

function readEntry(text: string): string {
  const range = readRange(text.trim());
  if (range) return range;
  throw invalid(`${JSON.stringify(text.slice(0, 80))} is neither an IP address nor a CIDR range`);
}

const invalid = (problem: string) =>
  new Refusal("invalid", problem, { field: "allowed_addresses" });
