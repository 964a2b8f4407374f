import type { DomainFinding } from "#drizzle/schema/index.ts";
import type { RecordPresence } from "#server/core/domains/records/evaluate-findings.ts";

/** `verify`: requested by an admin or API client. `recheck`: automatic. */
export type CheckMode = "verify" | "recheck";

type FindingState = Pick<DomainFinding, "isVerified" | "missingSince">;

/**
 * Decides whether a record counts as found after another check.
 *
 * - A found record counts at once; a failed check changes nothing.
 * - A missing record counts at once if the check was requested (`verify`), or if the record didn't count
 *   before. Automatic checks must miss it twice, an hour apart, with no other answer in between, so that a
 *   DNS glitch doesn't stop mail.
 *
 * @param at when the check started
 * @param isMissingLong whether `missingSince` is at least an hour before that
 */
export function nextFindingState({
  mode,
  judgement,
  at,
  before,
  isMissingLong,
}: {
  mode: CheckMode;
  judgement: RecordPresence;
  at: string;
  before: FindingState;
  isMissingLong: boolean;
}): FindingState {
  if (judgement === "present") return { isVerified: true, missingSince: null };
  if (judgement === "unknown")
    return { isVerified: before.isVerified, missingSince: before.missingSince };
  if (mode === "verify" || !before.isVerified || isMissingLong)
    return { isVerified: false, missingSince: null };
  return { isVerified: true, missingSince: before.missingSince ?? at };
}
