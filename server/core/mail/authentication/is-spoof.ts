import type { OwnedDomains } from "./owned-domains.ts";
import type { Verdict } from "./verify-message.ts";

/**
 * Whether an outside message claims to come from a domain of this appliance without passing SPF or DKIM.
 * `p=none`, which the console suggests to start with, asks for reports about such mail, not for its
 * delivery. Stricter policies are enforced elsewhere.
 */
export async function isSpoof(
  { dmarc, isFromVerified }: Pick<Verdict, "dmarc" | "isFromVerified">,
  domains: OwnedDomains,
): Promise<boolean> {
  if (dmarc.domain === null || isFromVerified || dmarc.result === "temperror") return false;
  return (await domains.companyOf(dmarc.domain)) !== null;
}
