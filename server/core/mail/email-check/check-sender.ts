import { and, eq } from "drizzle-orm";

import { type DomainFinding, domains } from "#drizzle/schema/index.ts";
import { type DomainDetails, getDomain } from "#server/core/domains/domains/domains.ts";
import { readDmarc } from "#server/core/domains/records/txt-records.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Finding, warning } from "./finding.ts";

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
export function senderFindings(found: SenderAuthentication): Finding[] {
  return [
    ...(found.dkim === "missing"
      ? [
          warning(
            "dkim_missing",
            `The DKIM record of ${found.domain} was not found at the last check. Publish it`,
          ),
        ]
      : []),
    ...(found.spf === "missing"
      ? [
          warning(
            "spf_missing",
            `The SPF record of ${found.domain} was not found at the last check. Publish it`,
          ),
        ]
      : []),
    ...(found.spf === "not_aligned"
      ? [
          warning(
            "spf_not_aligned",
            `Bounces don't return to ${found.domain}, so only DKIM counts for DMARC. Publish the domain's return-path records`,
          ),
        ]
      : []),
    ...(found.dmarc === null
      ? [
          warning(
            "dmarc_missing",
            `${found.domain} has no DMARC record, which Gmail and Yahoo require of bulk senders. Publish one`,
          ),
        ]
      : []),
  ];
}
