import type { DnsProvider, DomainRecord } from "./queries.ts";

type Record = Pick<DomainRecord, "type" | "name" | "host" | "value">;

/** Bytes of one string of a TXT record (RFC 1035, 3.3). All that is published is ASCII. */
const STRING_MAX = 255;

/** What is entered as a record's host at the provider; empty where that is how it names the domain itself. */
export function enteredHost(
  { name, host }: Pick<Record, "name" | "host">,
  provider: DnsProvider | null,
): string {
  if (provider?.takes_full_names) return name;
  return host === "@" ? (provider?.apex ?? host) : host;
}

/** What is entered as a record's value at the provider. */
export function enteredValue({ type, value }: Record, provider: DnsProvider | null): string {
  if (type !== "TXT") return provider?.wants_final_dot ? `${value}.` : value;
  if (!provider?.wants_quotes || value === "") return value;
  const strings = value.match(new RegExp(`.{1,${STRING_MAX}}`, "gs")) ?? [];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}
