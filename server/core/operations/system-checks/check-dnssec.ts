import type { Config } from "#server/config.ts";
import { createSecureDns, isValidating, type SecureDns } from "#server/gateways/secure-dns.ts";

import { type Finding, ok } from "./finding.ts";

const PART = "DNSSEC";
const ADVICE =
  "To verify mail servers that publish TLSA records, install a validating resolver on this machine, such as unbound, and set POSTHOUSE_DNS=127.0.0.1";

type Settings = Pick<Config, "dnsServers" | "dnssec" | "localMode" | "relay">;

/** Checks whether DANE applies to outgoing mail. It's optional, so this is never a warning. */
export async function checkDnssec(
  { localMode, relay, ...settings }: Settings,
  dns: SecureDns | null = createSecureDns(settings),
): Promise<Finding> {
  if (localMode || relay) return ok(PART, "DANE isn't used here");
  if (settings.dnssec === "off") return ok(PART, "DANE is off (POSTHOUSE_DNSSEC)");
  if (!dns)
    return {
      ...ok(PART, "DANE is off, because the resolver is on another machine"),
      advice: ADVICE,
    };
  if (await isValidating(dns)) return ok(PART, "It validates DNSSEC, so DANE applies");
  return {
    ...ok(PART, "DANE is off, because the resolver doesn't validate DNSSEC"),
    advice: ADVICE,
  };
}
