import { setTimeout as delay } from "node:timers/promises";

import type { Carrier } from "#worker/delivery/delivery.ts";

const DELIVERIES_GRACE_MS = 5_000;
/** If the reply to a message that was already sent is lost, the message is delivered twice. */
const REPLIES_GRACE_MS = 25_000;

/**
 * Drains a carrier: waits up to 25 seconds for replies to messages already sent, up to 5 seconds for the
 * rest.
 */
export async function drainCarrier(carrier: Carrier, done: Promise<void>): Promise<void> {
  await Promise.race([
    done,
    Promise.all([carrier.drain(), delay(DELIVERIES_GRACE_MS, null, { ref: false })]),
    delay(REPLIES_GRACE_MS, null, { ref: false }),
  ]);
}
