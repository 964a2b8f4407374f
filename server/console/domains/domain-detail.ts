import { z } from "zod";

import type { DnsFinding, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { findZone } from "#server/core/domains/doctor/probe.ts";
import { hostField } from "#server/core/domains/doctor/providers.ts";
import { mailAppRecords } from "#server/core/mailboxes/client-settings/mail-app-records.ts";
import { RETIRED_KEY_DAYS } from "#server/core/sending/dkim/retired-keys.ts";
import type { DomainDetails } from "#server/core/domains/domains/domains.ts";

import { DomainHead, domainHeadFields, RecordKind } from "./domain-row.ts";

/** A DNS server's answer at the last check. */
const ServerAnswer = z.object({
  server: z.string(),
  address: z.string().nullable(),
  kind: z.enum(["found", "no_name", "no_data", "failed"]),
  records: z.array(z.string()).describe("Each record as one string"),
  cname: z.string().nullable(),
  reason: z.string().nullable().describe("For failed: TIMEOUT, SERVFAIL, …"),
});

const RecordToPublish = z.object({
  kind: RecordKind,
  type: z.enum(["TXT", "MX", "CNAME"]),
  name: z.string(),
  host: z
    .string()
    .describe("Name relative to the zone, as most providers expect it; @ for the zone itself"),
  value: z.string().describe("Empty while the DKIM key is being generated"),
  priority: z.number().nullable(),
  need: z.enum(["required", "recommended", "optional"]),
  is_verified: z.boolean(),
  missing_since: z
    .string()
    .nullable()
    .describe("A recheck didn't find the record; it still counts as verified"),
  answers: z.array(ServerAnswer),
});

/** Optional records for the automatic setup of mail apps. Never checked. */
const MailAppRecord = z.object({
  type: z.enum(["SRV", "CNAME"]),
  name: z.string(),
  host: z.string(),
  value: z.string().describe("As in a zone file; for SRV: priority, weight, port, and target"),
  purpose: z.string(),
});

export const DomainDetail = DomainHead.extend({
  zone: z.string().describe("The registered domain whose DNS zone contains the records"),
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
  one_click_unsubscribe: z.boolean(),
  tracking_subdomain: z.string().nullable().describe("Null: links use this server's own host"),
  is_tracking_host_in_use: z
    .boolean()
    .describe(
      "Links of new emails use the tracking subdomain: its record and certificate are there",
    ),
  return_path: z.string().describe("Domain of the envelope senders, where bounces go"),
  is_spf_aligned: z
    .boolean()
    .describe(
      "Whether SPF is aligned for DMARC: the return path shares the domain's registered domain",
    ),
  is_rotating_keys: z.boolean().describe("New DKIM keys are waiting for their DNS records"),
  retired_keys: z
    .array(z.object({ host: z.string(), keep_until: z.string() }))
    .describe("Records of replaced DKIM keys. Each must stay published until `keep_until`"),
  records: z.array(RecordToPublish),
  mail_app_records: z.array(MailAppRecord),
});

type Detail = z.input<typeof DomainDetail>;
type Entry = DomainDetails["records"][number];

const OPTIONAL: DomainRecordKind[] = [
  ...(["dkim_ed25519", "return_path_mx", "return_path_spf", "mta_sts", "tls_rpt"] as const),
];
const DAY_MS = 86_400_000;

export function domainDetail({
  domain,
  receives,
  records,
  findings,
  returnPath,
  retiredKeys,
  isRotating,
  isTrackingHostInUse,
}: DomainDetails): z.input<typeof DomainDetail> {
  const zone = findZone(domain.name);
  const hostOf = (name: string) => hostField(name, zone, null);
  return {
    ...domainHeadFields({ ...domain, receives }),
    zone,
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    one_click_unsubscribe: domain.oneClickUnsubscribe,
    tracking_subdomain: domain.trackingSubdomain,
    is_tracking_host_in_use: isTrackingHostInUse,
    return_path: returnPath.name,
    is_spf_aligned: returnPath.isAligned,
    is_rotating_keys: isRotating,
    retired_keys: retiredKeys.map(({ selector, retiredAt }) => ({
      host: hostOf(`${selector}._domainkey.${domain.name}`),
      keep_until: keepUntil(retiredAt!),
    })),
    mail_app_records: mailAppRecords(domain.name).map((record) => ({
      ...record,
      host: hostOf(record.name),
    })),
    records: records.flatMap((record) => {
      const published = {
        ...recordFields(record, hostOf(record.name)),
        ...findingFields(findings.find(({ record: kind }) => kind === record.record)),
      };
      const host = policyHost(domain.name, records);
      if (record.record !== "mta_sts" || !host) return [published];
      return [published, { ...published, ...host, host: hostOf(host.name) }];
    }),
  };
}

/** When the last signature made with a retired key has expired. */
const keepUntil = (retiredAt: string) =>
  new Date(new Date(retiredAt).getTime() + RETIRED_KEY_DAYS * DAY_MS).toISOString();

function recordFields(record: Entry, host: string) {
  return {
    kind: record.record,
    type: record.type,
    name: record.name,
    host,
    value: record.value,
    priority: record.priority ?? null,
    need: needOf(record),
    is_verified: record.isVerified,
  };
}

/** The host that serves the MTA-STS policy (RFC 8461, 3.3). Never checked. */
function policyHost(
  domain: string,
  records: Entry[],
): (Partial<Detail["records"][number]> & { name: string }) | null {
  const mx = records.find(({ record }) => record === "mx");
  if (!mx) return null;
  const name = `mta-sts.${domain}`;
  return {
    type: "CNAME",
    name,
    value: mx.value,
    is_verified: false,
    missing_since: null,
    answers: [],
  };
}

function needOf({ record, isRequired }: Entry) {
  if (isRequired) return "required" as const;
  return OPTIONAL.includes(record) ? ("optional" as const) : ("recommended" as const);
}

function findingFields(finding: DomainFinding | undefined) {
  const missingSince = finding?.missingSince ?? null;
  return {
    missing_since: missingSince === null ? null : consoleTimestamp(missingSince),
    answers: (finding?.answers ?? []).map(serverAnswer),
  };
}

/** Joins the strings of a TXT record without separators (RFC 7208, 3.3), and an MX's parts with a space. */
function serverAnswer({ server, address, kind, records, cname, reason }: DnsFinding) {
  const isMx = (strings: string[]) => strings.length === 2 && /^\d{1,5}$/.test(strings[0]!);
  return {
    ...{ server, address, kind, cname, reason },
    records: records.map((strings) => strings.join(isMx(strings) ? " " : "")),
  };
}
