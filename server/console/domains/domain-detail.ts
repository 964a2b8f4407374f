import { z } from "zod";

import type { DnsFinding, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { zoneOf } from "#server/core/domains/doctor/probe.ts";
import { hostFieldOf } from "#server/core/domains/doctor/providers.ts";
import { mailAppRecords } from "#server/core/mailboxes/client-settings/mail-app-records.ts";
import type { DomainDetails } from "#server/core/domains/domains/get-domain.ts";

import { DomainHead, domainHead, RecordKind } from "./domain-row.ts";

/** What one DNS server said at the last check. */
const ServerAnswer = z.object({
  server: z.string(),
  address: z.string().nullable(),
  kind: z.enum(["found", "no_name", "no_data", "failed"]),
  records: z.array(z.string()).describe("Each record as one text"),
  cname: z.string().nullable(),
  reason: z.string().nullable().describe("For failed: TIMEOUT, SERVFAIL, …"),
});

const RecordToPublish = z.object({
  kind: RecordKind,
  type: z.enum(["TXT", "MX", "CNAME"]),
  name: z.string(),
  host: z.string().describe("The name without the zone, as most providers take it; @ for the zone"),
  value: z.string().describe("Empty while the DKIM key is being prepared"),
  priority: z.number().nullable(),
  need: z.enum(["required", "recommended", "optional"]),
  is_verified: z.boolean(),
  missing_since: z.string().nullable().describe("A re-check missed it; it still counts"),
  answers: z.array(ServerAnswer),
});

/** By which mail apps find their settings; nothing waits for it, and nobody looks for it. */
const MailAppRecord = z.object({
  type: z.enum(["SRV", "CNAME"]),
  name: z.string(),
  host: z.string(),
  value: z.string().describe("As in a zone file: priority, weight, port and target of an SRV"),
  purpose: z.string(),
});

export const DomainDetail = DomainHead.extend({
  zone: z.string().describe("The domain that was registered, whose DNS has the records"),
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
  records: z.array(RecordToPublish),
  mail_app_records: z.array(MailAppRecord),
});

type Detail = z.input<typeof DomainDetail>;
type Entry = DomainDetails["records"][number];

const OPTIONAL: DomainRecordKind[] = ["mta_sts", "tls_rpt"];

export function domainDetail({
  domain,
  receives,
  records,
  findings,
}: DomainDetails): z.input<typeof DomainDetail> {
  const zone = zoneOf(domain.name);
  const hostOf = (name: string) => hostFieldOf(name, zone, null);
  return {
    ...domainHead({ ...domain, receives }),
    zone,
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    mail_app_records: mailAppRecords(domain.name).map((record) => ({
      ...record,
      host: hostOf(record.name),
    })),
    records: records.flatMap((record) => {
      const published = {
        ...recordToPublish(record, hostOf(record.name)),
        ...foundOf(findings.find(({ record: kind }) => kind === record.record)),
      };
      const host = policyHost(domain.name, records);
      if (record.record !== "mta_sts" || !host) return [published];
      return [published, { ...published, ...host, host: hostOf(host.name) }];
    }),
  };
}

function recordToPublish(record: Entry, host: string) {
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

/** Where others fetch the policy that the MTA-STS record announces (RFC 8461, 3.3); it is not looked for. */
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

function foundOf(finding: DomainFinding | undefined) {
  const missingSince = finding?.missingSince ?? null;
  return {
    missing_since: missingSince === null ? null : consoleTimestamp(missingSince),
    answers: (finding?.answers ?? []).map(serverAnswer),
  };
}

/** A TXT record's strings belong together without anything between (RFC 7208, 3.3), an MX's parts do not. */
function serverAnswer({ server, address, kind, records, cname, reason }: DnsFinding) {
  const isMx = (strings: string[]) => strings.length === 2 && /^\d{1,5}$/.test(strings[0]!);
  return {
    ...{ server, address, kind, cname, reason },
    records: records.map((strings) => strings.join(isMx(strings) ? " " : "")),
  };
}
