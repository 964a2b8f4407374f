import { parse } from "tldts";

import { readDomain } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** No pasted URL that anybody means is longer. */
const PASTED_MAX = 2_000;

/**
 * A domain name as a person gives it, often pasted: a scheme, a `user@` part, a port, a path and the
 * last dot are taken away, letters beyond ASCII become A-labels (RFC 5890).
 *
 * @returns lower case, at least two labels, under a public suffix and none itself
 * @throws Refusal `invalid`
 */
export function parseDomainName(written: string): string {
  const pasted = written.length > PASTED_MAX ? "" : stripUrlParts(written);
  const name = readDomain(pasted);
  if (!name)
    throw invalid(
      `${JSON.stringify(written.slice(0, 80))} is not a domain name. Give one such as example.com or mail.example.com`,
    );
  if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
    throw invalid(
      `${name} is a suffix under which others register names. Add a name below it that is yours`,
    );
  return name;
}

const invalid = (problem: string) => new Refusal("invalid", problem);

function stripUrlParts(written: string): string {
  const [authority = ""] = written
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^\/\//, "")
    .split(/[/\\?#]/);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return host.replace(/:\d*$/, "").replace(/\.$/, "");
}
