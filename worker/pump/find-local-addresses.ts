import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/find-hosted-domains.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Db } from "#server/db/client.ts";

import type { LocalAddresses } from "./plan-deliveries.ts";

/** Looks up which of the recipients, and which of their domains, this appliance hosts. */
export async function findLocalAddresses(
  db: Db,
  recipients: LeasedRecipient[],
): Promise<LocalAddresses> {
  const addresses = recipients.map(({ recipient }) => recipient);
  const names = recipients.map(({ destination }) => destination);
  const [resolved, hosted] = await Promise.all([
    resolveRecipients(db, addresses),
    findHostedDomains(db, names),
  ]);
  return { resolved, hosted };
}
