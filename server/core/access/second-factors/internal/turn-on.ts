import type { Origin } from "#server/core/access/people/sign-in.ts";
import type { FactorOwner } from "#server/core/access/second-factors/factor-owner.ts";
import { replaceRecoveryCodes } from "#server/core/access/second-factors/recovery-codes.ts";
import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Call after adding the first factor, in the same transaction.
 *
 * @returns the recovery codes
 */
export async function turnOn(db: Db, owner: FactorOwner, origin: Origin): Promise<string[]> {
  await rememberNetwork(db, owner.email, origin.clientAddress, { withSecondFactor: true });
  await owner.afterTurnedOn(db);
  return replaceRecoveryCodes(db, owner);
}
