import { createHmac } from "node:crypto";

import { normalizePassword } from "#server/core/access/admins/password.ts";
import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

/** 32 bits: guesses that share a mark with an earlier one count once, so that must not happen by chance. */
const MARK_HEX_DIGITS = 8;

/** Bits of a keyed hash of the password, to recognize repeated attempts. */
export function passwordMark(account: string, password: string): string {
  return createHmac("sha256", instanceKey())
    .update(`password mark\0${account}\0${normalizePassword(password)}`)
    .digest("hex")
    .slice(0, MARK_HEX_DIGITS);
}
