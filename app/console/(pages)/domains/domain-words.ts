import type { Meaning } from "#app/console/ui/status.tsx";

import type { DomainRecord, DomainRow } from "./queries.ts";

type State = { word: string; meaning: Meaning };

/** The word of every status and what it means to the owner. */
const STATUSES: Record<DomainRow["status"], State> = {
  not_started: { word: "Not started", meaning: "none" },
  pending: { word: "Waiting for DNS", meaning: "waiting" },
  partially_verified: { word: "Partly verified", meaning: "waiting" },
  verified: { word: "Verified", meaning: "done" },
};

export const statusOf = ({ status }: Pick<DomainRow, "status">): State => STATUSES[status];

type Kind = DomainRecord["kind"];

/** What each record is called, and what it is for. */
export const RECORDS: Record<Kind, { label: string; purpose: string }> = {
  ownership: { label: "Ownership", purpose: "Proves that the domain is yours." },
  spf: { label: "SPF", purpose: "Names the servers that may send for the domain." },
  dkim: { label: "DKIM", purpose: "Lets others check the signature on each email." },
  dmarc: {
    label: "DMARC",
    purpose: "Says what to do with mail that only pretends to be yours, and asks for reports.",
  },
  mx: { label: "MX", purpose: "Brings mail for the domain to your mailboxes here." },
  mta_sts: {
    label: "MTA-STS",
    purpose: "Has other servers deliver to you over encrypted connections only.",
  },
  tls_rpt: {
    label: "TLS-RPT",
    purpose: "Asks other servers to report when they could not encrypt.",
  },
};

/** MTA-STS needs a second record: the host of its policy. */
const POLICY_HOST = { label: "MTA-STS host", purpose: "Where others fetch the MTA-STS policy." };

export const wordsOf = ({ kind, type }: Pick<DomainRecord, "kind" | "type">) =>
  type === "CNAME" ? POLICY_HOST : RECORDS[kind];

/** What the owner should do next, for the list; null when there is nothing. */
export function attentionOf({ is_proven, checked_at, missing }: DomainRow): string | null {
  if (!is_proven)
    return checked_at === null ? "Prove that it is yours" : "Ownership record not found yet";
  const needed = missing.filter((kind) => kind === "spf" || kind === "dkim");
  const wanted = missing.filter((kind) => kind === "dmarc");
  const shown = needed.length > 0 ? needed : wanted;
  if (shown.length === 0) return null;
  const names = shown.map((kind) => RECORDS[kind].label).join(" and ");
  return needed.length > 0 ? `${names} not found` : `${names} recommended`;
}
