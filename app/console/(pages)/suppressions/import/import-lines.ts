import type { CheckedRow, Origin } from "#app/console/(pages)/suppressions/queries.ts";

import type { TableRow } from "#server/universal/imports/parse-table.ts";

type Outcome = "new" | "already" | "invalid" | "duplicate" | "header" | "added";

/** A line of the file with its outcome, which is null until it is known. */
export type ImportLine = TableRow & {
  outcome: Outcome | null;
  /** As written if it is invalid. */
  address: string;
  origin: Origin | null;
  problem: string | null;
};

export type OutcomeCounts = Record<Outcome, number>;

export const toImportLine = (line: TableRow): ImportLine => ({
  ...line,
  outcome: null,
  address: "",
  origin: null,
  problem: null,
});

export function countOutcomes(lines: ImportLine[]): OutcomeCounts {
  const counts: OutcomeCounts = {
    new: 0,
    already: 0,
    invalid: 0,
    duplicate: 0,
    header: 0,
    added: 0,
  };
  for (const { outcome } of lines) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

/** How many new addresses there are for each reason. */
export function countOrigins(lines: ImportLine[]): Map<Origin, number> {
  const counts = new Map<Origin, number>();
  for (const { outcome, origin } of lines)
    if (outcome === "new" && origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}

/**
 * Records the server's results for a batch. Addresses that occurred earlier in the file are duplicates.
 *
 * @param seen addresses of earlier lines; this batch's are added
 */
export function recordOutcomes(
  batch: ImportLine[],
  results: CheckedRow[],
  seen: Set<string>,
): void {
  for (const [at, line] of batch.entries()) {
    const { outcome, ...found } = results[at]!;
    const isAddress = outcome === "new" || outcome === "already";
    const isDuplicate = isAddress && seen.has(found.address);
    Object.assign(line, found, { outcome: isDuplicate ? "duplicate" : outcome });
    if (isAddress) seen.add(found.address);
  }
}
