import type { DomainFinding } from "#drizzle/schema/index.ts";
import type { RecordPresence } from "#server/core/domains/records/evaluate-findings.ts";

/** How much one answer counts: `verify` is somebody who waits for it, `recheck` the appliance by itself. */
export type CheckMode = "verify" | "recheck";

type FindingState = Pick<DomainFinding, "isVerified" | "missingSince">;

/**
 * Whether a record counts as found after one more look at it.
 *
 * - Found is found, and no answer changes nothing.
 * - That it is not there counts at once for somebody who asks for it (`verify`), and for a record that
 *   did not count before. The appliance by itself needs to read it twice, an hour apart, with no
 *   answer between that has the record: a slip in somebody's DNS stops no mail.
 *
 * @param at when the look began
 * @param isMissingLong whether `missingSince` is an hour before that, or longer
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
