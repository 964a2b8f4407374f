import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorOwner } from "./factor-owner.ts";
import { hasSecondFactor } from "./get-factors.ts";
import { lockFactors } from "./lock-factors.ts";
import type { Proof } from "./verify-proof.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { requireProof } from "./require-proof.ts";

/**
 * Replaces the recovery codes with ten new ones, after a password and a second factor.
 *
 * @throws Refusal `invalid` for a wrong password or code; `not_allowed` without a second factor;
 *   `rate_limit_exceeded`
 */
export async function regenerateRecoveryCodes(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; proof: Proof; clientAddress: string },
): Promise<string[]> {
  await requireProof(db, owner, shown);
  return db.transaction(async (tx) => {
    if (!hasSecondFactor(await lockFactors(tx, owner)))
      throw new Refusal("not_allowed", "Recovery codes require a second factor. Add one first");
    const codes = await replaceRecoveryCodes(tx, owner);
    await owner.afterChange(tx, "recovery_codes_replaced");
    return codes;
  });
}
