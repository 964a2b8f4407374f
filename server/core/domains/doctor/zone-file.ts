import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

/**
 * Formats the records as zone file lines (RFC 1035 §5): absolute names, TXT values split into strings of at
 * most 255 characters. Skips records without a value. If there is an MTA-STS record, adds the CNAME of the host that
 * serves the policy.
 */
export function formatZoneFile(records: DomainRecord[]): string {
  const lines = records
    .filter(({ value }) => value !== "")
    .map((record) => `${record.name}. IN ${record.type} ${content(record)}\n`);
  return lines.join("") + policyHostLine(records);
}

/** The CNAME of the host that serves the MTA-STS policy (RFC 8461, 3.3), which isn't among the checked records. */
function policyHostLine(records: DomainRecord[]): string {
  const policy = records.find(({ record }) => record === "mta_sts");
  const mx = records.find(({ record }) => record === "mx");
  return policy && mx
    ? `${policy.name.replace("_mta-sts.", "mta-sts.")}. IN CNAME ${mx.value}.\n`
    : "";
}

function content({ type, value, priority = 10 }: DomainRecord): string {
  if (type === "TXT") return quotedStrings(value);
  return type === "MX" ? `${priority} ${value}.` : `${value}.`;
}

/**
 * Splits a TXT value into quoted strings. The value may come from foreign name servers: nothing in it can end
 * the string or the line.
 */
export function quotedStrings(value: string): string {
  return (value.match(/.{1,255}/gs) ?? [])
    .map((string) => string.replace(/["\\]/g, "\\$&").replace(/[^\x20-\x7e]/g, octets))
    .map((string) => `"${string}"`)
    .join(" ");
}

/** As `\DDD` (RFC 1035 §5.1). DNS octets are read as Latin-1. */
function octets(character: string): string {
  const bytes = Buffer.from(character, character > "\xff" ? "utf8" : "latin1");
  return [...bytes].map((byte) => `\\${String(byte).padStart(3, "0")}`).join("");
}
