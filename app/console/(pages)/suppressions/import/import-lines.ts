import type { FileLine } from "./read-address-file.ts";

type Outcome = "new" | "already" | "invalid" | "duplicate" | "added";

/** A line of the file with its outcome, which is null until it is known. */
export type ImportLine = FileLine & { outcome: Outcome | null };

export type OutcomeCounts = Record<Outcome, number>;

export function countOutcomes(lines: ImportLine[]): OutcomeCounts {
  const counts: OutcomeCounts = { new: 0, already: 0, invalid: 0, duplicate: 0, added: 0 };
  for (const { outcome } of lines) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

/**
 * Records the server's results for a batch. Addresses that occurred earlier in the file are duplicates.
 *
 * @param seen addresses of earlier lines; this batch's are added
 */
export function recordOutcomes(
  batch: ImportLine[],
  results: { address: string | null; outcome: "new" | "already" | "invalid" }[],
  seen: Set<string>,
): void {
  for (const [at, line] of batch.entries()) {
    const { address, outcome } = results[at]!;
    line.outcome = address !== null && seen.has(address) ? "duplicate" : outcome;
    if (address !== null) seen.add(address);
  }
}
