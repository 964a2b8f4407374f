import { findHostedDomains } from "#server/core/sending/messages/find-hosted-domains.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

import { isCatchAll, type Recipient, resolveRecipients } from "./resolve-recipients.ts";

/**
 * Resolves the recipients of mail from here, as `resolveRecipients` does, but leaves out addresses covered only by a
 * catch-all if another server receives the domain's mail: they may exist there.
 */
export async function resolveOutgoing(
  db: Db,
  addresses: string[],
): Promise<Map<string, Recipient>> {
  const resolved = await resolveRecipients(db, addresses);
  const domainOf = (address: string) => addressDomain(address).toLowerCase();
  const caught = [...resolved].filter(([, recipient]) => isCatchAll(recipient));
  const hosted = await findHostedDomains(
    db,
    caught.map(([address]) => domainOf(address)),
  );
  for (const [address, { companyId }] of caught)
    if (hosted.get(domainOf(address)) !== companyId) resolved.delete(address);
  return resolved;
}
