import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { acquireKey, type KeyedRequest, type KeyLock, releaseKey } from "./acquire-key.ts";

/**
 * Runs `work` once per idempotency key; repeated requests get the stored response. `work` must store it with
 * `storeAnswers`. If `work` throws, the key is released.
 *
 * @throws Refusal `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function runIdempotently<Answer>(
  db: Db,
  request: KeyedRequest,
  work: (keyLock: KeyLock) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const found = await acquireKey(db, request);
  // Stored by this endpoint, so the type is right.
  if ("answer" in found) return { answer: found.answer as Answer, isReplayed: true };
  try {
    return { answer: await work(found.keyLock), isReplayed: false };
  } catch (error) {
    await releaseKey(db, found.keyLock);
    throw error;
  }
}

/** Prefix that keeps test keys' idempotency keys separate from live ones. */
export const TEST_KEY_PREFIX = "test ";

/** The endpoint that an idempotency key is stored under. */
export const keyedEndpoint = ({ isTest }: Pick<Context, "isTest">, endpoint: string): string =>
  isTest ? TEST_KEY_PREFIX + endpoint : endpoint;

export const KEY_CHARS_MAX = 256;

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && key.length >= 1 && key.length <= KEY_CHARS_MAX;
