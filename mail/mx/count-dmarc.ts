import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";
import { toDmarcRow } from "#server/core/mail/sent-reports/dmarc-counts.ts";
import type { SpamVerdict } from "#server/core/mail/spam/check-spam.ts";

import type { Incoming, MxContext } from "./mx-context.ts";

/**
 * Counts a message for the DMARC report to its sender's domain, with what the domain's policy did to it. Mail that failed
 * for lack of DNS comes again.
 *
 * @param action what became of it; null: rejected by the policy
 */
export function countDmarc(
  { countDmarc: count }: Pick<MxContext, "countDmarc">,
  { clientAddress }: Pick<Incoming, "clientAddress">,
  { verdict, action }: { verdict: Verdict; action: SpamVerdict["action"] | null },
): void {
  if (verdict.dmarc.result === "fail" && verdict.isUncertain) return;
  const row = toDmarcRow(verdict, { clientAddress, disposition: dispositionOf(verdict, action) });
  if (row) count(row);
}

function dispositionOf({ dmarc }: Verdict, action: SpamVerdict["action"] | null) {
  if (dmarc.result !== "fail" || dmarc.policy === "none" || action === "deliver") return "none";
  return action === null ? "reject" : "quarantine";
}
