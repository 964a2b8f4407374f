import type { StatusTone } from "#app/console/ui/status.tsx";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";

import type { DomainRecord, DomainRow } from "./queries.ts";

type State = { label: string; tone: StatusTone };

const STATUSES: Record<DomainRow["status"], State> = {
  not_started: { label: "Not started", tone: "none" },
  pending: { label: "Pending", tone: "waiting" },
  partially_verified: { label: "Partially verified", tone: "waiting" },
  verified: { label: "Verified", tone: "done" },
};

export const domainStatus = ({ status }: Pick<DomainRow, "status">): State => STATUSES[status];

type Labeled = Pick<DomainRecord, "kind" | "type">;

/** MTA-STS also needs a CNAME for the host that serves its policy, which no check looks at. */
const POLICY_HOST = { label: "MTA-STS host", purpose: "Serves the MTA-STS policy." };

export const isChecked = ({ kind, type }: Labeled) => kind !== "mta_sts" || type !== "CNAME";

export const recordLabel = (record: Labeled) =>
  isChecked(record) ? RECORD_KINDS[record.kind] : POLICY_HOST;

/** What the admin should do next; null if nothing. */
export function nextAction({ isOwnershipVerified, checkedAt, missing }: DomainRow): string | null {
  if (!isOwnershipVerified)
    return checkedAt === null ? "Verify ownership" : "Publish ownership record";
  const needed = missing.filter((kind) => kind === "spf" || kind === "dkim");
  const recommended = missing.filter((kind) => kind === "dmarc");
  const shown = needed.length > 0 ? needed : recommended;
  if (shown.length === 0) return null;
  const names = shown.map((kind) => RECORD_KINDS[kind].label).join(" and ");
  return needed.length > 0 ? `Publish ${names}` : `Publish ${names} (recommended)`;
}
