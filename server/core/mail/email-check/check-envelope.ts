import { and, eq } from "drizzle-orm";

import { type DomainFinding, domains } from "#drizzle/schema/index.ts";
import { type DomainDetails, getDomain } from "#server/core/domains/domains/domains.ts";
import { readDmarc } from "#server/core/domains/records/txt-records.ts";
import { findMailHosts } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { resolveOutgoing } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import type { Resolver } from "#server/gateways/dns.ts";

/** How receivers authenticate mail from a domain, by its DNS records at the last check. */
export type SenderAuthentication = {
  domain: string;
  /** `aligned`: SPF passes for a domain that DMARC accepts (RFC 7489, 3.1.2). */
  spf: "aligned" | "not_aligned" | "missing";
  /** Emails are signed by the domain of their From address, so DKIM always aligns. */
  dkim: "aligned" | "missing";
  /** The policy; null without a valid record. */
  dmarc: "none" | "quarantine" | "reject" | null;
};

/** Null if the domain isn't one of the company's. */
export async function checkSender(
  ctx: Context,
  from: string,
): Promise<SenderAuthentication | null> {
  const name = addressDomain(from).toLowerCase();
  const [own] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), eq(domains.companyId, ctx.companyId)));
  if (!own) return null;
  const details = await getDomain(ctx, own.id);
  return {
    domain: name,
    spf: spfOf(details),
    dkim: isFound(details, "dkim") ? "aligned" : "missing",
    dmarc: dmarcOf(details),
  };
}

const isFound = ({ findings }: DomainDetails, wanted: DomainFinding["record"]): boolean =>
  findings.some(({ record, isVerified }) => record === wanted && isVerified);

function spfOf(details: DomainDetails): SenderAuthentication["spf"] {
  if (!isFound(details, "spf")) return "missing";
  return details.returnPath.isAligned ? "aligned" : "not_aligned";
}

function dmarcOf({ findings }: DomainDetails): SenderAuthentication["dmarc"] {
  const answers = findings.find(({ record }) => record === "dmarc")?.answers ?? [];
  const texts = answers.flatMap(({ records }) => records.map((parts) => parts.join("")));
  return texts.map((text) => readDmarc(text)).find((found) => found !== null)?.policy ?? null;
}

/** What Gmail and Yahoo require of bulk senders, and others reward. */
export const senderFindings = (found: SenderAuthentication): EmailProblem[] => [
  ...(found.dkim === "missing"
    ? [
        emailWarning(
          "dkim_missing",
          `The DKIM record of ${found.domain} was not found at the last check. Publish it`,
        ),
      ]
    : []),
  ...(found.spf === "missing"
    ? [
        emailWarning(
          "spf_missing",
          `The SPF record of ${found.domain} was not found at the last check. Publish it`,
        ),
      ]
    : []),
  ...(found.spf === "not_aligned"
    ? [
        emailWarning(
          "spf_not_aligned",
          `Bounces don't return to ${found.domain}, so only DKIM counts for DMARC. Publish the domain's return-path records`,
        ),
      ]
    : []),
  ...(found.dmarc === null
    ? [
        emailWarning(
          "dmarc_missing",
          `${found.domain} has no DMARC record, which Gmail and Yahoo require of bulk senders. Publish one`,
        ),
      ]
    : []),
];

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

/** Something about an email that a sender should know before sending it. */
export type EmailProblem = {
  /** `error`: it isn't sent, or not to everyone. `warning`: receivers may reject it, or it may not display properly. */
  level: "error" | "warning";
  /** Stable, for programs. */
  code: string;
  /** What is wrong and what to do. */
  message: string;
};

export const emailWarning = (code: string, message: string): EmailProblem => ({
  level: "warning",
  code,
  message,
});
