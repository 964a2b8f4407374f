import type { ProvenDomains } from "./proven-domains.ts";
import type { Verdict } from "./verify-message.ts";

/**
 * Whether a message pretends to be of somebody here: its From is at a domain of this appliance, and
 * neither SPF nor DKIM stands for it. Where that domain has a DMARC record, its owner has said what is
 * to be done, and nothing more is.
 */
export async function isSpoof(
  { dmarc, isFromVerified }: Pick<Verdict, "dmarc" | "isFromVerified">,
  domains: ProvenDomains,
): Promise<boolean> {
  if (dmarc.domain === null || isFromVerified || dmarc.result !== "none") return false;
  return (await domains.companyOf(dmarc.domain)) !== null;
}
