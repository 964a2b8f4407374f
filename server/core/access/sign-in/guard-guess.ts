import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { sourceNetwork } from "./source-network.ts";
import { countAttempt, forgetAttempt } from "./throttle.ts";

/**
 * Rate-limits lookups by unauthenticated clients, such as the token of a link: ten wrong guesses per source
 * in 15 minutes.
 *
 * @param what kind of lookup; each kind has its own count
 * @param look returns null for a wrong guess
 * @throws Refusal `rate_limit_exceeded`
 */
export async function guardGuess<T>(
  db: Db,
  { what, clientAddress }: { what: string; clientAddress: string },
  look: () => Promise<T | null>,
): Promise<T | null> {
  const account = `${what} link ${sourceNetwork(clientAddress)}`;
  const attempt = await countAttempt(db, { account, clientAddress, passwordMark: null });
  try {
    const found = await look();
    if (found !== null) await forgetAttempt(db, attempt);
    return found;
  } catch (error) {
    // Any other error isn't a wrong guess.
    if (error instanceof Refusal) await forgetAttempt(db, attempt);
    throw error;
  }
}
