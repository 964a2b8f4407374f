import { createHash } from "node:crypto";

import type { DnsFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import {
  type KnownDomain,
  listDomainRecords,
  toExpectation,
} from "#server/core/domains/dns-checks/check-records.ts";
import type { HostedRecord, SetChange } from "#server/core/domains/dns-setup/dns-host.ts";
import { quotedStrings } from "#server/core/domains/doctor/zone-file.ts";
import {
  type DomainRecord,
  RECORD_RULES,
  readRecord,
} from "#server/core/domains/records/domain-records.ts";

/** What happens to one of the domain's records at its DNS provider. */
export type PlannedChange = {
  /** Stable within the domain. */
  key: DomainRecordKind | "mta_sts_host";
  kind: DomainRecordKind;
  type: "TXT" | "MX" | "CNAME";
  name: string;
  /**
   * - `create`: nothing is replaced;
   * - `replace`: the records in `before` are replaced;
   * - `keep`: it is there already;
   * - `blocked`: other records at the name, in `before`, forbid it (RFC 1034 §3.6.2).
   */
  action: "create" | "replace" | "keep" | "blocked";
  before: string[];
  after: string;
  priority: number | null;
  /** Replacing it changes what another service does, such as where mail arrives. */
  needsConfirmation: boolean;
};

/** With the contents of the set of records. */
export type RecordPlan = { change: PlannedChange; set: SetChange }[];

/**
 * Plans how the records of a zone become those that the domain needs. Existing SPF and DMARC content is merged from what
 * the provider has, not from the last check.
 *
 * @param hosted all records of the zone
 */
export function planChanges(known: KnownDomain, hosted: HostedRecord[]): RecordPlan {
  const findings = listDomainRecords(known).map(({ record, name, type }) => ({
    record,
    isVerified: false,
    answers: [toFinding(setAt(hosted, { name, type }), findReading(known, record))],
  }));
  const wanted = listDomainRecords({ ...known, findings }).filter(({ value }) => value !== "");
  const answers = new Map(findings.map(({ record, answers }) => [record, answers[0]!]));
  const plan = wanted.map((record) => {
    const isThere =
      readRecord(record.record, answers.get(record.record)!, toExpectation(known)) === "yes";
    return planRecord(hosted, record, { key: record.record, isThere });
  });
  const mx = wanted.find(({ record }) => record === "mx");
  const policy = wanted.find(({ record }) => record === "mta_sts");
  if (!mx || !policy) return plan;
  // Serves the MTA-STS policy (RFC 8461 §3.3).
  const host = {
    ...policy,
    type: "CNAME" as const,
    name: `mta-sts.${mx.name}`,
    value: mx.value,
  };
  const isThere = setAt(hosted, host).some(({ value }) => value === mx.value);
  return [...plan, planRecord(hosted, host, { key: "mta_sts_host", isThere })];
}

/** Identifies what an admin has reviewed. */
export const digestPlan = (plan: RecordPlan): string =>
  createHash("sha256")
    .update(JSON.stringify(plan.map(({ change }) => change)))
    .digest("hex");

const setAt = (hosted: HostedRecord[], { name, type }: { name: string; type: string }) =>
  hosted.filter((record) => record.name === name && record.type === type);

/** The evaluation of the SPF record at the last check, if it may still apply. */
const findReading = ({ findings }: KnownDomain, kind: DomainRecordKind) =>
  findings
    .find(({ record }) => record === kind)
    ?.answers.find(({ spf }) => spf?.authorizes === "yes");

function toFinding(set: HostedRecord[], checked: DnsFinding | undefined): DnsFinding {
  const records = set.map(({ type, value, priority }) =>
    type === "MX" ? [String(priority), value] : [value],
  );
  const isSame = checked?.records.some((strings) =>
    records.some(([value]) => value === strings.join("")),
  );
  return {
    server: "provider",
    address: null,
    cname: null,
    reason: null,
    kind: records.length > 0 ? "found" : "no_name",
    records,
    ...(isSame && checked?.spf && { spf: checked.spf }),
  };
}

function planRecord(
  hosted: HostedRecord[],
  { record: kind, type, name, value, ...record }: DomainRecord,
  { key, isThere }: { key: PlannedChange["key"]; isThere: boolean },
): RecordPlan[number] {
  const priority = record.priority ?? null;
  const set = setAt(hosted, { name, type });
  const replaced = set.filter((record) => isReplaced(kind, record));
  const isAliased = (record: HostedRecord) => (type === "CNAME") !== (record.type === "CNAME");
  const blocking = hosted.filter((record) => record.name === name && isAliased(record));
  const common = { key, kind, type, name, after: value, priority };
  const change = { before: set, kept: set.filter((record) => !replaced.includes(record)) };
  const planned = { name, type, ...change, added: { value, priority } };
  if (isThere)
    return { change: { ...common, ...KEEP, before: replaced.map(describe) }, set: planned };
  if (blocking.length > 0)
    return {
      change: { ...common, ...KEEP, action: "blocked", before: blocking.map(describe) },
      set: planned,
    };
  const isReplacing = replaced.length > 0;
  return {
    change: {
      ...common,
      action: isReplacing ? "replace" : "create",
      before: replaced.map(describe),
      // The content of another TXT record is merged, or it is an outdated value of this appliance; not all of several.
      needsConfirmation:
        isReplacing && (type !== "TXT" || kind === "mta_sts" || replaced.length > 1),
    },
    set: planned,
  };
}

const KEEP = { action: "keep" as const, needsConfirmation: false };

const describe = ({ type, value, priority }: HostedRecord) => {
  if (type === "TXT") return value;
  return [type, ...(priority === null ? [] : [priority]), value].join(" ").trim();
};

/** Whether ours takes the record's place. Other TXT records with the same name stay. */
const isReplaced = (kind: DomainRecordKind, { type, value }: HostedRecord): boolean =>
  type !== "TXT" || (RECORD_RULES[kind].replaces?.test(value.trim()) ?? true);

/** A host as we compare it: lowercase, without a trailing dot. */
const plainHost = (host: string) => host.trim().toLowerCase().replace(/\.$/, "");

/** The full name of a record whose provider names it relative to the zone, or `@`. */
export const fullName = (name: string, zone: string) =>
  name === "@" || name === "" ? zone : `${plainHost(name)}.${zone}`;

/** The name relative to the zone; `@` for the zone itself. */
export const relativeName = (name: string, zone: string) =>
  name === zone ? "@" : name.slice(0, -zone.length - 1);

/** TXT content as quoted strings of at most 255 characters, other content as it is. */
export const zoneContent = (
  type: string,
  { value, priority }: Pick<HostedRecord, "value" | "priority">,
) => {
  if (type === "TXT") return quotedStrings(value);
  return type === "MX" ? `${priority ?? 10} ${value}.` : `${value}.`;
};

/** Reads content in zone file notation: quoted strings, a host, or a priority and a host. */
export function readContent(
  type: string,
  raw: string,
): Pick<HostedRecord, "value" | "priority" | "raw"> {
  if (type === "TXT") return { value: readText(raw), priority: null, raw };
  if (type !== "MX") return { value: plainHost(raw), priority: null, raw };
  const [priority = "", host = ""] = raw.trim().split(/\s+/);
  return { value: plainHost(host), priority: Number(priority) || 0, raw };
}

/** Joins quoted strings; text without quotes stays as it is. */
function readText(raw: string): string {
  if (!/^\s*"/.test(raw)) return raw;
  const strings = raw.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  return strings
    .map((string) =>
      string.slice(1, -1).replace(/\\(\d{3}|.)/gs, (_, code: string) => unescaped(code)),
    )
    .join("");
}

/** `\DDD` is an octet and `\X` the character itself (RFC 1035 §5.1). */
const unescaped = (code: string) =>
  code.length === 3 ? String.fromCharCode(Number.parseInt(code, 10)) : code;
