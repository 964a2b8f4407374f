import { basename } from "node:path";

import { withDatabase } from "#server/cli/with-database.ts";
import { getCompany } from "#server/core/access/companies/companies.ts";
import { checkList, importList } from "#server/core/sending/suppressions/suppressions.ts";
import { createContext } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/text.ts";

import { readTable } from "./read-text.ts";

export type ListOptions = { company: string; dryRun?: boolean };

export type ImportedList = {
  format: string;
  /** Added, or that would be. */
  added: number;
  already: number;
  /** By reason. */
  origins: Record<string, number>;
  skipped: { line: number; address: string; problem: string }[];
};

/** Imports a suppression list of another provider, all or nothing. */
export async function importSuppressions(
  file: string,
  { company, dryRun = false }: ListOptions,
): Promise<ImportedList> {
  const { first, rows } = await readTable(file);
  const list = { fileName: basename(file), first, rows: rows.map(({ cells }) => cells) };
  return withDatabase(async (db) => {
    const { id } = await getCompany(db, company);
    const ctx = createContext(db, id, { kind: "system", task: "posthouse import suppressions" });
    const { format, results } = await checkList(ctx, list);
    const found = results.flatMap((row) => ("entry" in row ? [row] : []));
    const added = new Map(
      found.filter(({ outcome }) => outcome === "new").map(({ entry }) => [entry.email, entry]),
    );
    const origins: Record<string, number> = {};
    for (const { origin } of added.values()) origins[origin] = (origins[origin] ?? 0) + 1;
    return {
      format: format.name,
      origins,
      added: dryRun ? added.size : await importList(ctx, list),
      already: new Set(found.map(({ entry }) => entry.email)).size - added.size,
      skipped: results.flatMap((row, at) =>
        row.outcome === "invalid"
          ? [{ line: rows[at]!.line, address: row.written, problem: row.problem }]
          : [],
      ),
    };
  });
}

/** For a terminal. */
export function describeList(
  { format, added, already, origins, skipped }: ImportedList,
  dryRun = false,
) {
  const reasons = Object.entries(origins).map(([origin, count]) => `${origin} ${count}`);
  return [
    `Format: ${format}`,
    `${pluralize(added, "address", "addresses")} ${dryRun ? "would be added" : "added"}${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}`,
    already > 0 && `${pluralize(already, "address", "addresses")} already suppressed`,
    skipped.length > 0 && `${pluralize(skipped.length, "line")} skipped:`,
    ...skipped.map(
      ({ line, address, problem }) => `  ${line}: ${problem}: ${address || "(empty)"}`,
    ),
  ]
    .filter((line) => line !== false)
    .join("\n");
}
