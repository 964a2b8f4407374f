import { setTimeout as delay } from "node:timers/promises";

import type { Carrier } from "#worker/delivery/delivery.ts";

const DELIVERIES_GRACE_MS = 5_000;
/** Time for replies to messages already sent. Without its reply, a message is delivered twice. */
const REPLIES_GRACE_MS = 25_000;

/** Stops a carrier's deliveries: waits up to 25 seconds for replies to sent messages, up to five for the rest. */
export async function untilDelivered(carrier: Carrier, done: Promise<void>): Promise<void> {
  await Promise.race([
    done,
    Promise.all([carrier.drain(), delay(DELIVERIES_GRACE_MS, null, { ref: false })]),
    delay(REPLIES_GRACE_MS, null, { ref: false }),
  ]);
}
