import { createHash } from "node:crypto";

import { and, eq, isNotNull } from "drizzle-orm";

import { domainFindings, domains } from "#drizzle/schema/index.ts";
import { config, type Config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;

export type OwnPolicy = {
  /** The policy file (RFC 8461 §3.2). */
  text: string;
  /** For the TXT record (§3.1). */
  id: string;
};

/**
 * The MTA-STS policy of every domain that receives its mail here. `enforce` only if the appliance has a
 * certificate that senders trust: with a self-signed one, such a policy would block all mail.
 *
 * The id is that of the policy with a certificate, so that customers needn't change their DNS record when the
 * first one is issued.
 */
export function ownMtaStsPolicy(
  { hostname, tls, acme = null }: PolicySettings = config(),
  hasCertificate = tls !== null,
): OwnPolicy {
  const expected = policyText(hostname, tls || acme ? "enforce" : "testing");
  return {
    text: policyText(hostname, hasCertificate ? "enforce" : "testing"),
    id: createHash("sha256").update(expected).digest("hex").slice(0, 16),
  };
}

type PolicySettings = Pick<Config, "hostname" | "tls"> & Partial<Pick<Config, "acme">>;

function policyText(hostname: string, mode: "enforce" | "testing"): string {
  const fields = [
    "version: STSv1",
    `mode: ${mode}`,
    `mx: ${hostname}`,
    `max_age: ${MAX_AGE_SECONDS}`,
  ];
  return fields.map((field) => `${field}\r\n`).join("");
}

/**
 * Whether the domain belongs to a company, is verified, and its MX record points here.
 *
 * @param name lowercase A-labels
 */
export async function receivesMailHere(db: Db, name: string): Promise<boolean> {
  const [found] = await db
    .select({ id: domains.id })
    .from(domains)
    .innerJoin(domainFindings, eq(domainFindings.domainId, domains.id))
    .where(
      and(
        eq(domains.name, name),
        isNotNull(domains.ownershipProvenAt),
        eq(domainFindings.record, "mx"),
        eq(domainFindings.isVerified, true),
      ),
    )
    .limit(1);
  return found !== undefined;
}
