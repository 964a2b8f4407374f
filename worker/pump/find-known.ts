import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/find-hosted-domains.ts";
import type { ClaimedRecipient } from "#server/core/sending/outbox/claim-due.ts";
import type { Db } from "#server/db/client.ts";

import type { KnownHere } from "./plan-deliveries.ts";

/** What this appliance knows of the recipients of a claim: who of them is here, and whose domains are. */
export async function findKnown(db: Db, recipients: ClaimedRecipient[]): Promise<KnownHere> {
  const addresses = recipients.map(({ recipient }) => recipient);
  const names = recipients.map(({ destination }) => destination);
  const [resolved, hosted] = await Promise.all([
    resolveRecipients(db, addresses),
    findHostedDomains(db, names),
  ]);
  return { resolved, hosted };
}
