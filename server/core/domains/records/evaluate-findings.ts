import type { DnsFinding } from "#drizzle/schema/index.ts";

/** Whether one server's answer contains the record; `open` if unknown. */
export type Reading = "yes" | "no" | "open";

export type RecordPresence = "present" | "absent" | "unknown";

/** Whether the finding is from the configured resolver rather than one of the zone's servers. */
export const isResolver = ({ server }: DnsFinding) => server === "resolver";

/**
 * Combines the servers' answers:
 *
 * - The zone's servers count; the configured resolver only if none of them answered.
 * - Present if one server has the record: the others will follow, and the doctor reports which lag behind.
 * - Absent if all servers say so. A single failure leaves it unknown, except REFUSED, which means that the
 *   server doesn't serve the zone.
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

/** The findings that `evaluateFindings` uses. */
export function relevantFindings(findings: DnsFinding[]): DnsFinding[] {
  const own = findings.filter((finding) => !isResolver(finding));
  if (own.every(({ kind }) => kind === "failed")) return findings.filter(isResolver);
  return own.filter(({ reason }) => reason !== "REFUSED");
}

/** Whether every server of the zone has the record; an answer of the resolver alone proves nothing. */
export function isOnAllServers(
  findings: DnsFinding[],
  read: (finding: DnsFinding) => Reading,
): boolean {
  const own = findings.filter((finding) => !isResolver(finding) && finding.reason !== "REFUSED");
  return (
    own.length > 0 && own.every((finding) => finding.kind === "found" && read(finding) === "yes")
  );
}
