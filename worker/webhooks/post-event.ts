import { createHmac } from "node:crypto";

import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { LeasedEvent } from "#server/core/webhooks/attempts/event-leases.ts";
import type { Attempt } from "#server/core/webhooks/attempts/attempts.ts";
import { redactResponse } from "#server/core/webhooks/attempts/redact-response.ts";
import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { webhookSigningKey } from "#server/core/webhooks/endpoints/webhooks.ts";

const TIMEOUT_MS = 10_000;
/** More than is shown, since redaction can shorten it. */
const ANSWER_BYTES_MAX = 8 * 1024;

/**
 * Makes one attempt to deliver an event. Whatever the endpoint does is an outcome; only an error on our
 * side throws.
 *
 * @throws SealError if the signing secret can't be decrypted
 */
export async function postEvent(event: LeasedEvent, http: OutgoingHttp): Promise<Attempt> {
  const body = event.payload;
  const secret = unseal("webhook_secret", event.sealedSecret);
  const sentAt = new Date();
  const startedAt = performance.now();
  const result = await post(
    event,
    http,
    signedHeaders({ eventId: event.id, body, secret }, sentAt),
  );
  const { id, webhookId, lease, isReplay } = event;
  const durationMs = Math.round(performance.now() - startedAt);
  return { id, webhookId, lease, isReplay, ...result, durationMs, sentAt: sentAt.toISOString() };
}

type Result = Pick<Attempt, "httpStatusCode" | "response" | "error">;

async function post(
  { endpoint, payload }: LeasedEvent,
  http: OutgoingHttp,
  headers: Record<string, string>,
): Promise<Result> {
  try {
    const { status, body, isCut } = await http.request({
      url: endpoint,
      method: "POST",
      headers,
      body: payload,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    return {
      httpStatusCode: status,
      response: redactResponse(body, { endpoint, isCut }),
      error: status >= 200 && status < 300 ? null : `HTTP ${status}`,
    };
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error;
    return { httpStatusCode: null, response: "", error: error.code };
  }
}

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
