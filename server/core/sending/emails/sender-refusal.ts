import { Refusal } from "#server/core/shared/refusals.ts";

import type { SendingDomain } from "./read-sending-facts.ts";
import type { SendingKey } from "./sending-key.ts";

/**
 * Why a key, or with null the appliance itself, may not send from a domain; null when it may. `domain` is
 * the company's with proven ownership, if there is one.
 */
export function senderRefusal(
  domain: Pick<SendingDomain, "id" | "isVerified"> | undefined,
  { domainName, key }: { domainName: string; key: Pick<SendingKey, "domainId"> | null },
): Refusal | null {
  if (!domain)
    return new Refusal(
      "invalid_from_address",
      `${domainName} is not a domain of this company with proven ownership. Add it under Domains first`,
    );
  if (key && key.domainId !== null && key.domainId !== domain.id)
    return new Refusal("invalid_from_address", `This API key may not send from ${domainName}`);
  if (!domain.isVerified)
    return new Refusal(
      "domain_not_verified",
      `${domainName} cannot send yet: its SPF or DKIM record was not found at the last check`,
    );
  return null;
}
