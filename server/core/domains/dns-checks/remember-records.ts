import type { DnsFinding } from "#drizzle/schema/index.ts";
import { findingsThatCount } from "#server/core/domains/records/judge.ts";

/**
 * Answers that say nothing, with the records that counted before: what to publish is made of what stands
 * at the domain, and must not lose it because nobody answered for an hour. Other answers stay as they are.
 */
export function rememberRecords(before: DnsFinding[], now: DnsFinding[]): DnsFinding[] {
  if (now.some(({ kind }) => kind !== "failed")) return now;
  const counted = findingsThatCount(before);
  const known =
    counted.find(({ spf }) => spf?.authorises === "yes") ??
    counted.find(({ spf }) => spf) ??
    counted.find(({ records }) => records.length > 0);
  if (!known) return now;
  const { records, spf } = known;
  return now.map((answer) => ({ ...answer, records, ...(spf && { spf }) }));
}
