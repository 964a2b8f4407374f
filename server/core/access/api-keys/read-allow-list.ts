import { Refusal } from "#server/core/shared/refusals.ts";

import { readRange } from "./read-range.ts";

/** Every call with a key looks through its lists. */
const ENTRIES_MAX = 200;

/**
 * A list of addresses and CIDR ranges as it is kept: in canonical form, each entry once.
 *
 * @throws Refusal `invalid`, naming the entry that is neither an address nor a range
 */
export function readAllowList(list: string[]): string[] {
  if (list.length > ENTRIES_MAX)
    throw new Refusal("invalid", `The allow-list takes at most ${ENTRIES_MAX} entries`);
  return [...new Set(list.map(readEntry))];
}

function readEntry(text: string): string {
  const range = readRange(text.trim());
  if (range) return range;
  throw new Refusal(
    "invalid",
    `${JSON.stringify(text.slice(0, 80))} is neither an IP address nor a CIDR range`,
  );
}
