import { parse } from "tldts";

import { readDomain } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const PASTED_MAX = 2_000;

/**
 * Parses a domain name as entered, often pasted: strips a scheme, `user@`, a port, a path and the trailing
 * dot, and converts to A-labels (RFC 5890).
 *
 * @returns lower case, with at least two labels, below a public suffix
 * @throws Refusal `invalid`
 */
export function parseDomainName(written: string): string {
  const pasted = written.length > PASTED_MAX ? "" : stripUrlParts(written);
  const name = readDomain(pasted);
  if (!name)
    throw invalid(
      `${JSON.stringify(written.slice(0, 80))} is not a domain name. Use a name such as example.com or mail.example.com`,
    );
  if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
    throw invalid(`${name} is a public suffix. Use a domain below it that you own`);
  return name;
}

const invalid = (problem: string) => new Refusal("invalid", problem, { field: "name" });

function stripUrlParts(written: string): string {
  const [authority = ""] = written
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^\/\//, "")
    .split(/[/\\?#]/);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return host.replace(/:\d*$/, "").replace(/\.$/, "");
}

/**
 * The sandbox's domain. RFC 6761, 6.3 reserves it for this machine; since no DNS serves it, the appliance
 * answers for it.
 */
export const SANDBOX_DOMAIN = "posthouse.localhost";
