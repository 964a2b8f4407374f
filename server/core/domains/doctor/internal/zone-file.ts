import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

/**
 * The records as lines of a zone file (RFC 1035 §5): whole names, TXT values cut into strings of 255
 * characters at most. What has no value yet is left out.
 */
export function formatZoneFile(records: DomainRecord[]): string {
  return records
    .filter(({ value }) => value !== "")
    .map(({ name, type, value, priority }) =>
      type === "MX"
        ? `${name}. IN MX ${priority ?? 10} ${value}.\n`
        : `${name}. IN TXT ${quotedStrings(value)}\n`,
    )
    .join("");
}

/**
 * A TXT value in the strings that it has to be cut into, each in quotes. What stands in them may be
 * anything that somebody's name server said: nothing in it ends the string, or the line.
 */
export function quotedStrings(value: string): string {
  return (value.match(/.{1,255}/gs) ?? [])
    .map((string) => string.replace(/["\\]/g, "\\$&").replace(/[^\x20-\x7e]/g, octets))
    .map((string) => `"${string}"`)
    .join(" ");
}

/** As `\DDD` (RFC 1035 §5.1). The DNS has octets, which are read as Latin-1. */
function octets(character: string): string {
  const bytes = Buffer.from(character, character > "\xff" ? "utf8" : "latin1");
  return [...bytes].map((byte) => `\\${String(byte).padStart(3, "0")}`).join("");
}
