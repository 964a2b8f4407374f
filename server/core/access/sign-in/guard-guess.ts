import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { sourceOf } from "./source-of.ts";
import { countAttempt, forgetAttempt } from "./throttle.ts";

/**
 * Looks up what somebody says who has not signed in, such as the token of a link: ten wrong ones from one
 * source in 15 minutes, and no more are looked at.
 *
 * @param what names the kind, each of which is counted by itself: "reset"
 * @param look what was found, or null for a wrong guess
 * @throws Refusal `rate_limit_exceeded`
 */
export async function guardGuess<T>(
  db: Db,
  { what, clientAddress }: { what: string; clientAddress: string },
  look: () => Promise<T | null>,
): Promise<T | null> {
  const account = `${what} link ${sourceOf(clientAddress)}`;
  const attempt = await countAttempt(db, { account, clientAddress, passwordMark: null });
  try {
    const found = await look();
    if (found !== null) await forgetAttempt(db, attempt);
    return found;
  } catch (error) {
    // What was refused for another reason was no wrong guess.
    if (error instanceof Refusal) await forgetAttempt(db, attempt);
    throw error;
  }
}
