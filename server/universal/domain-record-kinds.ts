import type { DomainRecordKind } from "#drizzle/schema/index.ts";

type RecordFacts = {
  type: "TXT" | "MX" | "CNAME";
  /** `required` for sending. The absence of an `optional` record is not a problem. */
  need: "required" | "recommended" | "optional";
  label: string;
  purpose: string;
};

/**
 * The kinds of DNS records of a domain, in display order. `RECORD_RULES` in
 * `server/core/domains/records/domain-records.ts` says where each is published, with which value, and how it's checked.
 */
export const RECORD_KINDS: Record<DomainRecordKind, RecordFacts> = {
  ownership: {
    type: "TXT",
    need: "required",
    label: "Ownership",
    purpose: "Verifies that you own the domain.",
  },
  spf: {
    type: "TXT",
    need: "required",
    label: "SPF",
    purpose: "Lists the servers that may send for the domain.",
  },
  dkim: {
    type: "TXT",
    need: "required",
    label: "DKIM",
    purpose: "Publishes the key that verifies your emails’ signatures.",
  },
  dkim_ed25519: {
    type: "TXT",
    need: "optional",
    label: "DKIM Ed25519",
    purpose: "Publishes a second, shorter key. Emails are then signed with both keys.",
  },
  dkim_next: {
    type: "TXT",
    need: "recommended",
    label: "New DKIM key",
    purpose: "Publishes the key that will replace the current one.",
  },
  dkim_ed25519_next: {
    type: "TXT",
    need: "recommended",
    label: "New DKIM key (Ed25519)",
    purpose: "Publishes the key that will replace the current Ed25519 key.",
  },
  dmarc: {
    type: "TXT",
    need: "recommended",
    label: "DMARC",
    purpose: "Tells receivers how to treat spoofed mail and where to send reports.",
  },
  mx: {
    type: "MX",
    need: "recommended",
    label: "MX",
    purpose: "Routes mail for the domain to your mailboxes.",
  },
  tracking: {
    type: "CNAME",
    need: "recommended",
    label: "Tracking",
    purpose: "Lets tracking and unsubscribe links use the domain.",
  },
  return_path_mx: {
    type: "MX",
    need: "optional",
    label: "Return path",
    purpose: "Routes bounces to Posthouse when the domain’s own mail is received elsewhere.",
  },
  return_path_spf: {
    type: "TXT",
    need: "optional",
    label: "Return path SPF",
    purpose: "Lets SPF pass and count for DMARC.",
  },
  mta_sts: {
    type: "TXT",
    need: "optional",
    label: "MTA-STS",
    purpose: "Requires other servers to deliver to you over TLS.",
  },
  tls_rpt: {
    type: "TXT",
    need: "optional",
    label: "TLS-RPT",
    purpose: "Asks other servers to report TLS failures.",
  },
};
