import { createHmac } from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

/** Enough to tell an old password that comes again from a guesser's next one, too few to find it by. */
const MARK_HEX_DIGITS = 3;

/** A few bits of a keyed hash of an account's password. */
export function passwordMark(account: string, password: string): string {
  return createHmac("sha256", instanceKey())
    .update(`password mark\0${account}\0${password}`)
    .digest("hex")
    .slice(0, MARK_HEX_DIGITS);
}
