import { createHmac } from "node:crypto";
import { availableParallelism } from "node:os";

import pLimit from "p-limit";

import { normalizePassword, passwordMatches } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

/** Each hash takes a core and 19 MiB of memory; leave threads for the rest of the process. */
const limited = pLimit(Math.min(2, availableParallelism()));

const QUEUED_MAX = 200;
const RETRY_AFTER_SECONDS = 10;

/**
 * Verifies a password, doing the same work when there is no hash. Runs a few at a time and queues the rest.
 *
 * @throws Refusal `rate_limit_exceeded` if the queue is full
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  if (limited.pendingCount >= QUEUED_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `Too many sign-ins at the moment. Try again in ${RETRY_AFTER_SECONDS} seconds`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  return limited(() => passwordMatches(password, hash));
}

/** 32 bits: guesses that share a mark with an earlier one count once, so that must not happen by chance. */
const MARK_HEX_DIGITS = 8;

/** Bits of a keyed hash of the password, to recognize repeated attempts. */
export function passwordMark(account: string, password: string): string {
  return createHmac("sha256", instanceKey())
    .update(`password mark\0${account}\0${normalizePassword(password)}`)
    .digest("hex")
    .slice(0, MARK_HEX_DIGITS);
}
