import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { LeasedEvent } from "#server/core/webhooks/attempts/event-leases.ts";
import type { Attempt } from "#server/core/webhooks/attempts/attempts.ts";
import { redactResponse } from "#server/core/webhooks/attempts/redact-response.ts";
import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { signedHeaders } from "./signed-headers.ts";

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
      ...{ url: endpoint, method: "POST", headers, body: payload },
      ...{ timeoutMs: TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX },
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
