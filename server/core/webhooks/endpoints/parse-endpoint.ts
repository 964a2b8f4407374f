import { isIP } from "node:net";

import { type Cidr, config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

const CHARACTERS_MAX = 2000;

/** As the URL parser writes them: the default port 443 is empty. */
const PORTS = new Set(["", "8443"]);

/** Internal or unresolvable names, by convention or registry (RFC 6762, 6761, 7686, 8375, 9476). */
const INTERNAL_NAME =
  /\.(local|localhost|localdomain|internal|intranet|private|corp|home|home\.arpa|lan|invalid|onion|alt)$/;

/** Reserved for tests and documentation (RFC 2606), so never in the public DNS. */
const TEST_NAME = /\.(test|example)$/;

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NAME_CHARACTERS_MAX = 253;

/**
 * Normalizes the endpoint of a webhook: host in lowercase A-labels, no root dot, default port or fragment.
 * Doesn't resolve the host; each delivery checks its addresses.
 *
 * For local development, `localhost` and its subdomains, `.test` and `.example` are allowed if
 * POSTHOUSE_PRIVATE_WEBHOOKS covers 127.0.0.1. No setting allows other names without a dot, or other ports.
 *
 * @param field the field that errors are about
 * @throws Refusal `invalid` with the reason
 */
export function parseEndpoint(
  text: string,
  allowedPrivate: Cidr[] = config().privateWebhooks,
  field = "endpoint",
): string {
  const invalid = (problem: string) => new Refusal("invalid", `${field}: ${problem}`);
  if (text.length > CHARACTERS_MAX) throw invalid(`must be at most ${CHARACTERS_MAX} characters`);
  if (/[\s\p{Cc}]/u.test(text)) throw invalid("must not contain white space");
  const url = URL.parse(text);
  if (!url) throw invalid("is not a valid URL");
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  const problem = findProblem(url, text) ?? findHostProblem(url, allowedPrivate);
  if (problem !== null) throw invalid(problem);
  // Percent-encoding has made it longer.
  if (url.href.length > CHARACTERS_MAX)
    throw invalid(`must be at most ${CHARACTERS_MAX} characters, percent-encoded`);
  return url.href;
}

function findProblem(url: URL, text: string): string | null {
  if (!/^https:\/\//i.test(text)) return "must be a URL that starts with https://";
  if (url.username || url.password)
    return "must not contain a user name or password. Check the signature instead";
  return PORTS.has(url.port) ? null : "must use port 443 or 8443";
}

function findHostProblem({ hostname }: URL, allowedPrivate: Cidr[]): string | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host))
    return isPublicAddress(host, allowedPrivate)
      ? null
      : `must be at a public address: ${host} is private or reserved`;
  const allowsLocalNames = isPublicAddress("127.0.0.1", allowedPrivate);
  if (allowsLocalNames && /(^|\.)localhost$/.test(host)) return null;
  const problem = findNameProblem(host, allowsLocalNames);
  return problem && `must be at a public hostname: ${problem}`;
}

function findNameProblem(host: string, isTrial: boolean): string | null {
  if (!host.includes(".")) return `"${host}" has no dot`;
  const [internal] = INTERNAL_NAME.exec(host) ?? [];
  if (internal) return `names that end in ${internal} are internal`;
  const [reserved] = TEST_NAME.exec(host) ?? [];
  if (reserved && !isTrial) return `names that end in ${reserved} are reserved`;
  const isName = host.split(".").every((label) => LABEL.test(label));
  return isName && host.length <= NAME_CHARACTERS_MAX ? null : `"${host}" is not a hostname`;
}
