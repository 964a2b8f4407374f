import { createHmac } from "node:crypto";

import { webhookSigningKey } from "#server/core/webhooks/endpoints/webhooks.ts";
import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";

/** Two families of libraries verify the same values under different header names. */
const PREFIXES = ["webhook", "svix"];

/**
 * Builds the headers of a webhook request, signed as in Standard Webhooks 1.0: HMAC-SHA256 over the public
 * id, the timestamp in Unix seconds and the body, joined by dots.
 *
 * @param eventId the uuid
 * @param body exactly what is posted
 */
export function signedHeaders(
  { eventId, body, secret }: { eventId: string; body: string; secret: string },
  now = new Date(),
): Record<string, string> {
  const id = toEventId(eventId);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const hmac = createHmac("sha256", webhookSigningKey(secret)).update(`${id}.${timestamp}.${body}`);
  const values = { id, timestamp, signature: `v1,${hmac.digest("base64")}` };
  return Object.fromEntries([
    ["content-type", "application/json"],
    ["user-agent", "Posthouse-Webhooks/1.0"],
    ...PREFIXES.flatMap((prefix) =>
      Object.entries(values).map(([name, value]) => [`${prefix}-${name}`, value]),
    ),
  ]) as Record<string, string>;
}
