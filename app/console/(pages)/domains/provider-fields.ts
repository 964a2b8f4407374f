import type { DnsProvider, DomainRecord } from "./queries.ts";

type Record = Pick<DomainRecord, "type" | "name" | "host" | "value">;

/** Maximum bytes of one string in a TXT record (RFC 1035, 3.3). Our values are ASCII. */
const STRING_MAX = 255;

/** What to enter as the record's host; empty for providers that name the domain itself this way. */
export function hostField(
  { name, host }: Pick<Record, "name" | "host">,
  provider: DnsProvider | null,
): string {
  if (provider?.takesFullNames) return name;
  return host === "@" ? (provider?.apex ?? host) : host;
}

/** What to enter as the record's value. */
export function valueField({ type, value }: Record, provider: DnsProvider | null): string {
  if (type !== "TXT") return provider?.wantsFinalDot ? `${value}.` : value;
  if (!provider?.wantsQuotes || value === "") return value;
  const strings = value.match(new RegExp(`.{1,${STRING_MAX}}`, "gs")) ?? [];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}
