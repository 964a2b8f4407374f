import type { StatusTone } from "#app/console/ui/status.tsx";

import type { DomainRecord, DomainRow } from "./queries.ts";

type State = { label: string; tone: StatusTone };

const STATUSES: Record<DomainRow["status"], State> = {
  not_started: { label: "Not started", tone: "none" },
  pending: { label: "Pending", tone: "waiting" },
  partially_verified: { label: "Partially verified", tone: "waiting" },
  verified: { label: "Verified", tone: "done" },
};

export const domainStatus = ({ status }: Pick<DomainRow, "status">): State => STATUSES[status];

type Kind = DomainRecord["kind"];

export const RECORD_LABELS: Record<Kind, { label: string; purpose: string }> = {
  ownership: { label: "Ownership", purpose: "Verifies that you own the domain." },
  spf: { label: "SPF", purpose: "Lists the servers that may send for the domain." },
  dkim: { label: "DKIM", purpose: "Publishes the key that verifies your emails’ signatures." },
  dkim_ed25519: {
    label: "DKIM Ed25519",
    purpose: "Publishes a second, shorter key. Emails are then signed with both keys.",
  },
  dkim_next: {
    label: "New DKIM key",
    purpose: "Publishes the key that will replace the current one.",
  },
  dkim_ed25519_next: {
    label: "New DKIM key (Ed25519)",
    purpose: "Publishes the key that will replace the current Ed25519 key.",
  },
  dmarc: {
    label: "DMARC",
    purpose: "Tells receivers how to treat spoofed mail and where to send reports.",
  },
  mx: { label: "MX", purpose: "Routes mail for the domain to your mailboxes." },
  tracking: {
    label: "Tracking",
    purpose: "Lets tracking and unsubscribe links use the domain.",
  },
  return_path_mx: {
    label: "Return path",
    purpose: "Routes bounces to Posthouse when the domain’s own mail is received elsewhere.",
  },
  return_path_spf: {
    label: "Return path SPF",
    purpose: "Lets SPF pass and count for DMARC.",
  },
  mta_sts: {
    label: "MTA-STS",
    purpose: "Requires other servers to deliver to you over TLS.",
  },
  tls_rpt: {
    label: "TLS-RPT",
    purpose: "Asks other servers to report TLS failures.",
  },
};

type Labeled = Pick<DomainRecord, "kind" | "type">;

/** MTA-STS also needs a CNAME for the host that serves its policy, which no check looks at. */
const POLICY_HOST = { label: "MTA-STS host", purpose: "Serves the MTA-STS policy." };

export const isChecked = ({ kind, type }: Labeled) => kind !== "mta_sts" || type !== "CNAME";

export const recordLabel = (record: Labeled) =>
  isChecked(record) ? RECORD_LABELS[record.kind] : POLICY_HOST;

/** What the admin should do next; null if nothing. */
export function nextAction({ isOwnershipVerified, checkedAt, missing }: DomainRow): string | null {
  if (!isOwnershipVerified)
    return checkedAt === null ? "Verify ownership" : "Publish ownership record";
  const needed = missing.filter((kind) => kind === "spf" || kind === "dkim");
  const recommended = missing.filter((kind) => kind === "dmarc");
  const shown = needed.length > 0 ? needed : recommended;
  if (shown.length === 0) return null;
  const names = shown.map((kind) => RECORD_LABELS[kind].label).join(" and ");
  return needed.length > 0 ? `Publish ${names}` : `Publish ${names} (recommended)`;
}
