import { count, observe } from "#server/core/platform/monitoring/counters.ts";
import { type MailProvider, mailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";

import { deliverEnvelope } from "./deliver-envelope.ts";
import type { Envelope } from "./plan-deliveries.ts";

const MS_PER_SECOND = 1_000;

/** `deliverEnvelope`, counted for `/metrics` unless it's a test email. Emails have the time they were sent, messages don't. */
export async function deliverAndCount(
  queue: Queue,
  item: object,
  envelope: Envelope,
  ...rest: Rest
): Promise<Outcome[]> {
  if ("isTest" in item && item.isTest) return deliverEnvelope(envelope, ...rest);
  const startedAt = performance.now();
  const outcomes = await deliverEnvelope(envelope, ...rest);
  countOutcomes(
    { queue: queue === "outbox" ? "email" : "message", isHere: isLocal(envelope) },
    { recipients: envelope.recipients, outcomes, seconds: elapsed(startedAt) },
  );
  const sentAt = "sentAt" in item && typeof item.sentAt === "string" ? item.sentAt : null;
  if (sentAt !== null && outcomes.some(({ result }) => result === "delivered")) {
    const seconds = Math.max(0, (Date.now() - Date.parse(sentAt)) / MS_PER_SECOND);
    observe("posthouse_delivery_latency_seconds", {}, seconds);
  }
  return outcomes;
}

type Rest = Parameters<typeof deliverEnvelope> extends [Envelope, ...infer Others] ? Others : never;

const isLocal = ({ way }: Envelope) => way.kind !== "carried" || way.isHere;

const elapsed = (startedAt: number) => (performance.now() - startedAt) / MS_PER_SECOND;

/** @param outcomes one for each recipient, in their order */
function countOutcomes(
  { queue, isHere }: { queue: string; isHere: boolean },
  done: { recipients: LeasedRecipient[]; outcomes: Outcome[]; seconds: number },
): void {
  const providers = new Set<MailProvider>();
  for (const [at, { result, host, notAttempted }] of done.outcomes.entries()) {
    if (notAttempted) continue;
    const provider = isHere ? "local" : mailProvider(done.recipients[at]!.destination, host);
    providers.add(provider);
    count("posthouse_deliveries_total", { queue, provider, outcome: result });
  }
  for (const provider of providers)
    observe("posthouse_delivery_attempt_seconds", { provider }, done.seconds);
}
