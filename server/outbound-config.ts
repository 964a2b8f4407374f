import { isIP, isIPv6 } from "node:net";

/** A name that other servers see, with the addresses that connections under it come from. */
export type OutboundSource = {
  /** For EHLO. The PTR records of the addresses should have it. */
  name: string;
  /** Null: not used. */
  ipv4: string | null;
  ipv6: string | null;
};

/** All addresses of sources. */
export const sourceAddresses = (sources: OutboundSource[]): string[] =>
  sources.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6].filter((address) => address !== null));

const VARIABLE = "POSTHOUSE_OUTBOUND_ADDRESSES";
const NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

type Terms = {
  hostname: string;
  /** Throws a ConfigError about a variable. */
  fail: (variable: string, value: string | undefined, expected: string) => never;
};

/**
 * Reads `POSTHOUSE_OUTBOUND_ADDRESSES`, such as `192.0.2.1,192.0.2.2=mail2.example.com`. An address without a name has
 * the hostname. Empty: the system chooses.
 */
export function readOutboundSources(
  env: Record<string, string | undefined>,
  { hostname, fail }: Terms,
): OutboundSource[] {
  const value = env[VARIABLE];
  if (!value) return [];
  const sources = new Map<string, OutboundSource>();
  for (const entry of value.split(",")) {
    const read = readEntry(entry, hostname);
    if (!read) return fail(VARIABLE, value, EXPECTED);
    const { name, address, family } = read;
    const source = sources.get(name) ?? { name, ipv4: null, ipv6: null };
    if (source[family] !== null)
      fail(VARIABLE, value, `must have at most one IPv4 and one IPv6 address for ${name}`);
    sources.set(name, { ...source, [family]: address });
  }
  return [...sources.values()];
}

const EXPECTED =
  "must be IP addresses separated by commas, each with an optional hostname, as in 192.0.2.2=mail2.example.com";

type Entry = { name: string; address: string; family: "ipv4" | "ipv6" };

function readEntry(entry: string, hostname: string): Entry | null {
  const [address = "", name = hostname, ...rest] = entry.trim().toLowerCase().split("=");
  if (isIP(address) === 0 || rest.length > 0 || !NAME.test(name)) return null;
  return { name, address, family: isIPv6(address) ? "ipv6" : "ipv4" };
}
