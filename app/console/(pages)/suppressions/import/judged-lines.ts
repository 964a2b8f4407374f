import type { GivenLine } from "./read-file.ts";

type Outcome = "new" | "already" | "invalid" | "twice" | "added";

/** A line with what becomes of it, once that is known. */
export type JudgedLine = GivenLine & { outcome: Outcome | null };

export type Counts = Record<Outcome, number>;

export function countOutcomes(lines: JudgedLine[]): Counts {
  const counts: Counts = { new: 0, already: 0, invalid: 0, twice: 0, added: 0 };
  for (const { outcome } of lines) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

/**
 * Notes what the server says of a batch. An address that stood further up already is not new once more.
 *
 * @param seen addresses so far; grows
 */
export function judge(
  batch: JudgedLine[],
  results: { address: string | null; outcome: "new" | "already" | "invalid" }[],
  seen: Set<string>,
): void {
  for (const [at, line] of batch.entries()) {
    const { address, outcome } = results[at]!;
    line.outcome = address !== null && seen.has(address) ? "twice" : outcome;
    if (address !== null) seen.add(address);
  }
}
