import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { findPublicProvider } from "#server/core/domains/ownership/public-providers.ts";

/**
 * Reserved names (RFC 2606, 6761, 6762, 7686, 8375, 9476), except `test`, which operators with a private DNS
 * use.
 */
const EXAMPLES = ["example.com", "example.net", "example.org", "example"];
const NOT_IN_DNS = ["invalid", "localhost", "local", "onion", "internal", "alt", "arpa"];

/**
 * @param name as `parseDomainName` returns it
 * @throws Refusal `not_allowed` if no company can own the name, with what to do
 */
export function requireNotReserved(name: string): void {
  const platform = platformHosts().find((host) => isSameOrSubdomain(name, host));
  if (platform)
    throw notAllowed(
      `${name} belongs to this mail service (${platform}). Use a domain that your company owns`,
    );
  if (EXAMPLES.some((example) => isSameOrSubdomain(name, example)))
    throw notAllowed(`${name} is reserved for examples. Use a domain that your company owns`);
  if (NOT_IN_DNS.some((special) => isSameOrSubdomain(name, special)))
    throw notAllowed(
      `${name} cannot exist in the public DNS. Use a domain that your company has registered`,
    );
  const provider = findPublicProvider(name);
  if (provider)
    throw notAllowed(
      `${provider} is a public mailbox provider. Use a domain that your company owns`,
    );
}

function platformHosts(): string[] {
  const { hostname, baseUrl } = config();
  return [hostname, new URL(baseUrl).hostname, "posthouse.localhost"];
}

const isSameOrSubdomain = (name: string, other: string) =>
  name === other || name.endsWith(`.${other}`);

const notAllowed = (message: string) => new Refusal("not_allowed", message, { field: "name" });
