import { findMailHosts } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { resolveOutgoing } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/find-hosted-domains.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Resolver } from "#server/gateways/dns.ts";

/** What would happen to an email for one recipient. */
export type CheckedRecipient = {
  address: string;
  /** `unknown`: its mail servers can't be looked up now, or another company of this appliance receives its mail. */
  outcome: "deliver" | "suppressed" | "bounce" | "unknown";
  destination: "mailbox" | "group" | "inbound" | "external";
  /** The mail servers of an external domain, first one first. */
  mailHosts: string[];
  /** Why it isn't delivered. */
  reason: string | null;
};

type Place = Omit<CheckedRecipient, "address">;

const EXTERNAL: Place = {
  outcome: "deliver",
  destination: "external",
  mailHosts: [],
  reason: null,
};

/**
 * Looks up where recipients' mail goes. External domains are looked up, but their servers aren't asked. Nothing is revealed
 * about the addresses of other companies.
 *
 * @param suppressed reasons by address
 */
export async function checkRecipients(
  { db, companyId }: CompanyScope,
  { recipients, suppressed }: { recipients: string[]; suppressed: Map<string, string> },
  resolver: Pick<Resolver, "mx" | "a" | "aaaa">,
): Promise<CheckedRecipient[]> {
  const domains = [...new Set(recipients.map((address) => addressDomain(address).toLowerCase()))];
  const [local, hosted] = await Promise.all([
    resolveOutgoing(db, recipients),
    findHostedDomains(db, domains),
  ]);
  const external = await lookUp(
    domains.filter((domain) => !hosted.has(domain)),
    resolver,
  );
  return recipients.map((address) => {
    const place = placeOf(address, { companyId, local, hosted, external });
    const reason = suppressed.get(address);
    return reason ? { address, ...place, outcome: "suppressed", reason } : { address, ...place };
  });
}

type Known = {
  companyId: string;
  local: Awaited<ReturnType<typeof resolveOutgoing>>;
  hosted: Awaited<ReturnType<typeof findHostedDomains>>;
  external: Map<string, Place>;
};

function placeOf(address: string, { companyId, local, hosted, external }: Known): Place {
  const domain = addressDomain(address).toLowerCase();
  const found = local.get(address);
  const owner = found?.companyId ?? hosted.get(domain);
  if (owner === undefined) return external.get(domain)!;
  if (owner !== companyId) return { ...EXTERNAL, outcome: "unknown" };
  return found
    ? { ...EXTERNAL, destination: found.kind }
    : { ...EXTERNAL, destination: "mailbox", outcome: "bounce", reason: "No such address here" };
}

async function lookUp(
  domains: string[],
  resolver: Pick<Resolver, "mx" | "a" | "aaaa">,
): Promise<Map<string, Place>> {
  const places = domains.map(
    async (domain) => [domain, await findPlace(domain, resolver)] as const,
  );
  return new Map(await Promise.all(places));
}

/** A failed lookup of mail servers says nothing about the address. */
async function findPlace(
  domain: string,
  resolver: Pick<Resolver, "mx" | "a" | "aaaa">,
): Promise<Place> {
  const found = await findMailHosts(resolver, domain);
  if (found.kind === "hosts")
    return { ...EXTERNAL, mailHosts: found.hosts.map(({ name }) => name) };
  const { result, message } = found.failure;
  return { ...EXTERNAL, outcome: result === "bounced" ? "bounce" : "unknown", reason: message };
}
