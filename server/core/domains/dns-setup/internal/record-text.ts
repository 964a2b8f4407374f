import type { HostedRecord } from "#server/core/domains/dns-setup/dns-host.ts";
import { quotedStrings } from "#server/core/domains/doctor/zone-file.ts";

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
