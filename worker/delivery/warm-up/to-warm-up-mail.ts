import type { Destination } from "#worker/delivery/carrier/find-destination.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";
import type { Transaction } from "#mail/smtp/envelope.ts";

import type { WarmUpMail } from "./warm-up.ts";

/** What a warm-up needs to know of a transaction; null for mail that isn't sent to mail servers. */
export function toWarmUpMail(
  { domain = null, isBatch = false }: Delivery,
  { recipients }: Transaction,
  { gateKey, source, provider = null }: Destination,
): WarmUpMail | null {
  if (gateKey === null) return null;
  const from = source?.suffix ? source.name : null;
  return { source: from, provider, domain, recipients: recipients.length, isBatch };
}
