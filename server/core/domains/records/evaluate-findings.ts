import type { DnsFinding } from "#drizzle/schema/index.ts";

/** Whether one server's answer holds what is looked for; `open` while that cannot be told. */
export type Reading = "yes" | "no" | "open";

export type RecordPresence = "present" | "absent" | "unknown";

/** Whether the finding is the configured resolver's, and not one of the zone's own servers'. */
export const isResolver = ({ server }: DnsFinding) => server === "resolver";

/**
 * What the servers' answers come to:
 *
 * - The zone's own servers count. Only when none of them answered does the configured resolver.
 * - Present as soon as one has it: the others follow, and the doctor tells which lag behind.
 * - Absent when all of them say so. A single one that was silent or failed leaves it open, however
 *   many others deny it; one that refuses does not, for it says that the zone is not its own.
 */
export function evaluateFindings(
  findings: DnsFinding[],
  read: (finding: DnsFinding) => Reading,
): RecordPresence {
  const readings = relevantFindings(findings).map((finding) => {
    if (finding.kind === "failed") return "open";
    return finding.kind === "found" ? read(finding) : "no";
  });
  if (readings.includes("yes")) return "present";
  return readings.length === 0 || readings.includes("open") ? "unknown" : "absent";
}

/** The findings that `judge` goes by. */
export function relevantFindings(findings: DnsFinding[]): DnsFinding[] {
  const own = findings.filter((finding) => !isResolver(finding));
  if (own.every(({ kind }) => kind === "failed")) return findings.filter(isResolver);
  return own.filter(({ reason }) => reason !== "REFUSED");
}
