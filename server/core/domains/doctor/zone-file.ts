import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

/**
 * The records as lines of a zone file (RFC 1035 §5): whole names, TXT values cut into strings of 255
 * characters at most. What has no value yet is left out.
 */
export function zoneFileOf(records: DomainRecord[]): string {
  return records
    .filter(({ value }) => value !== "")
    .map(({ name, type, value, priority }) =>
      type === "MX"
        ? `${name}. IN MX ${priority ?? 10} ${value}.\n`
        : `${name}. IN TXT ${quotedStrings(value)}\n`,
    )
    .join("");
}

/** A TXT value in the strings that it has to be cut into, each in quotes. */
export function quotedStrings(value: string): string {
  return (value.match(/.{1,255}/gs) ?? [])
    .map((string) => `"${string.replace(/["\\]/g, "\\$&")}"`)
    .join(" ");
}
