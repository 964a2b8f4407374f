import type { Db } from "#server/db/client.ts";

import { type Claim, claimKey, type KeyedRequest } from "./claim-key.ts";
import { releaseKey } from "./release-key.ts";

/**
 * Runs `work` once per idempotency key; repeated requests get the stored answer. `work` must store it with
 * `answerKeys`. If `work` throws, the key is released.
 *
 * @throws Refusal `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function once<Answer>(
  db: Db,
  request: KeyedRequest,
  work: (claim: Claim) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const held = await claimKey(db, request);
  // This endpoint stored it, so it has the right type.
  if ("answer" in held) return { answer: held.answer as Answer, isReplayed: true };
  try {
    return { answer: await work(held.claim), isReplayed: false };
  } catch (error) {
    await releaseKey(db, held.claim);
    throw error;
  }
}

export const KEY_CHARS_MAX = 256;

/** Whether a value is a valid idempotency key. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && key.length >= 1 && key.length <= KEY_CHARS_MAX;
