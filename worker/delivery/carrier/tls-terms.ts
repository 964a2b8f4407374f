import type { MxHost } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import type { Failure } from "#mail/smtp/outcome.ts";
import type { MxSecurity, TlsaAnswer, TlsaFinder } from "#worker/delivery/mx/tlsa-finder.ts";
import { matchesPolicy, type PolicyTerms } from "#worker/delivery/mx/mta-sts.ts";
import { formatTls, hasTrustAnchor } from "#mail/smtp/tls.ts";
import type { Peer } from "#mail/smtp/session.ts";

/** How a mail server must be connected to, or why it must not. */
export type HostTerms = (
  | { terms: Pick<Peer, "tls" | "policy" | "dane" | "isUnlisted"> }
  /** `isUnlisted`: the domain's policy doesn't list the host, so it isn't tried at all. */
  | { failure: Failure; isUnlisted: boolean }
) & {
  /** Connections with the same terms can be shared by domains. */
  key: string;
};

export const OPPORTUNISTIC: HostTerms = {
  terms: { tls: "opportunistic", policy: "opportunistic" },
  key: "",
};

type Policies = {
  domain: string;
  mtaSts: PolicyTerms | null | undefined;
  /** Null: DANE doesn't apply. */
  dane: { names: string[]; hosts: Map<string, TlsaAnswer> } | null;
};

/** Looks up the TLSA records of a domain's mail servers, if its MX records are secure. */
export async function lookUpTlsa(
  finder: TlsaFinder | undefined,
  security: MxSecurity | undefined,
  { domain, hosts }: { domain: string; hosts: MxHost[] },
): Promise<Policies["dane"]> {
  if (!finder || security?.kind !== "secure") return null;
  const answers = await Promise.all(
    hosts.map(async ({ name }) => [name, await finder.tlsa(name)] as const),
  );
  return { names: [domain, security.name], hosts: new Map(answers) };
}

/** Returns the terms of one host. TLSA records count before an MTA-STS policy (RFC 8461, 2). */
export function hostTerms(host: string, policies: Policies): HostTerms {
  const { domain, mtaSts, dane } = policies;
  const tlsa = dane?.hosts.get(host);
  if (tlsa?.kind === "failed") return unknownTlsa(host, tlsa.reason);
  if (dane && tlsa?.kind === "found") return daneTerms(tlsa, [host, ...dane.names], domain);
  return mtaSts && mtaSts.mode !== "none" ? mtaStsTerms(host, mtaSts, domain) : OPPORTUNISTIC;
}

function daneTerms(
  { base, records }: Extract<TlsaAnswer, { kind: "found" }>,
  names: string[],
  domain: string,
): HostTerms {
  const dane = { base, records, names: [...new Set([base, ...names])] };
  // The certificate of a trust anchor may be for the recipients' domain only.
  const key = hasTrustAnchor(dane) ? `dane ${domain}` : "dane";
  return { terms: { tls: "dane", policy: "dane", dane }, key };
}

function mtaStsTerms(host: string, { mode, mx }: PolicyTerms, domain: string): HostTerms {
  const isListed = matchesPolicy(host, mx);
  if (mode === "testing") return tested(isListed);
  return isListed
    ? { terms: { tls: "verified", policy: "mta-sts" }, key: "verified" }
    : unlisted(host, domain);
}

/** Delivers like without a policy, and only records what the policy would have rejected (RFC 8461, 5). */
function tested(isListed: boolean): HostTerms {
  const terms = { tls: "opportunistic", policy: "mta-sts-testing" } as const;
  return isListed
    ? { terms, key: "testing" }
    : { terms: { ...terms, isUnlisted: true }, key: "testing unlisted" };
}

function unknownTlsa(host: string, reason: string): HostTerms {
  const message = `The TLSA records of ${host} could not be looked up: ${reason}`;
  const tls = formatTls({ policy: "dane", result: "dnssec-invalid", encryption: null });
  return { failure: delayed(message, tls), isUnlisted: false, key: "unknown" };
}

function unlisted(host: string, domain: string): HostTerms {
  const message = `The MTA-STS policy of ${domain} does not list its mail server ${host}`;
  const tls = formatTls({ policy: "mta-sts", result: "validation-failure", encryption: null });
  return { failure: delayed(message, tls), isUnlisted: true, key: "unlisted" };
}

const delayed = (message: string, tls: string): Failure => ({
  result: "delayed",
  dsn: "4.7.5",
  message,
  suppress: false,
  tls,
});
