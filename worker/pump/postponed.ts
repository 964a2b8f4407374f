import type { SigningDomain } from "#server/core/sending/dkim/load-signing-domains.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import { deliveryKind, signingName } from "./deliver-envelope.ts";
import { type Envelope, latestRetryRequest } from "./plan-deliveries.ts";
import type { Queued, Source } from "./source.ts";

type Means<Item extends Queued, Result extends { rowId: string }> = {
  carrier: Carrier;
  source: Source<Item, Result>;
  /** The domain that signs the message. */
  signer: SigningDomain | Error | undefined;
};

/**
 * Separates envelopes whose destination is suspended or slowed down, before their message is composed.
 *
 * @returns the other envelopes, the message with their recipients, and results for the rest
 */
export function separatePostponed<Item extends Queued, Result extends { rowId: string }>(
  item: Item,
  planned: Envelope[],
  { carrier, source, signer }: Means<Item, Result>,
): { envelopes: Envelope[]; item: Item; results: Result[] } {
  const results: Result[] = [];
  const envelopes = planned.filter((envelope) => {
    const { way, recipients } = envelope;
    const isElsewhere = way.kind === "carried" && !way.isHere;
    const retryAskedAt = latestRetryRequest(envelope);
    const sender = { companyId: item.companyId, domain: signingName(signer), retryAskedAt };
    const failure = isElsewhere ? carrier.postpone?.(way.route(), sender) : null;
    if (!failure) return true;
    const outcomes = recipients.map(({ recipient }) => ({ recipient, ...failure }));
    results.push(...source.toResults({ ...item, recipients }, outcomes, deliveryKind(way)));
    return false;
  });
  if (envelopes.length === planned.length) return { envelopes, item, results };
  const recipients = envelopes.flatMap((envelope) => envelope.recipients);
  return { envelopes, item: { ...item, recipients }, results };
}
