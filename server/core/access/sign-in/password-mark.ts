import { createHmac } from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

/** Enough bits to tell a repeated old password from the next guess, too few to recover the password. */
const MARK_HEX_DIGITS = 3;

/** A few bits of a keyed hash of the password, to recognize repeated attempts. */
export function passwordMark(account: string, password: string): string {
  return createHmac("sha256", instanceKey())
    .update(`password mark\0${account}\0${password}`)
    .digest("hex")
    .slice(0, MARK_HEX_DIGITS);
}
