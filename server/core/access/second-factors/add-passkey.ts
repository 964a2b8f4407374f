import type { Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  endStep,
  startStep,
  sessionStepToken,
  tryStep,
} from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAdded } from "./confirm-totp.ts";
import type { FactorOwner } from "./factor-owner.ts";
import { turnOn } from "./internal/turn-on.ts";
import { hasSecondFactor } from "./get-factors.ts";
import { lockFactors } from "./lock-factors.ts";
import {
  createPasskeyRegistration,
  storePasskey,
  PASSKEY_MINUTES,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
} from "./passkeys.ts";
import { readPasskeyName } from "./passkey-name.ts";

/** Sign-in requests list them all. */
const PASSKEYS_MAX = 20;

/**
 * Starts adding a passkey.
 *
 * @returns the options for the browser's WebAuthn call
 * @throws Refusal `invalid` for a wrong password; `not_allowed` if this host can't use passkeys;
 *   `rate_limit_exceeded`
 */
export async function startPasskey(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; clientAddress: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  await owner.requirePassword(db, shown);
  const options = await createPasskeyRegistration(db, owner);
  const token = sessionStepToken(owner.sessionId, "passkey_add");
  const step = { kind: "passkey_add", account: owner, secret: options.challenge } as const;
  await startStep(db, { token, ...step, minutes: PASSKEY_MINUTES });
  return options;
}

/**
 * Stores the passkey that the browser created.
 *
 * @throws Refusal `invalid`; `not_allowed` after five minutes, and for too many passkeys
 */
export async function finishPasskey(
  db: Db,
  owner: FactorOwner,
  { name: typed, response }: { name: string; response: RegistrationResponseJSON },
  origin: Origin,
): Promise<FactorAdded> {
  const name = readPasskeyName(typed);
  const token = sessionStepToken(owner.sessionId, "passkey_add");
  const step = await tryStep(db, token, { kind: "passkey_add", of: owner.kind });
  const challenge = step?.secret;
  if (!challenge) throw setupExpired();
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, owner);
    if (!(await endStep(tx, token, "passkey_add"))) throw setupExpired();
    if (before.passkeys.length >= PASSKEYS_MAX)
      throw new Refusal(
        "not_allowed",
        `You can have at most ${PASSKEYS_MAX} passkeys. Remove one first`,
      );
    await storePasskey(tx, owner, { name, response, challenge });
    const recoveryCodes = hasSecondFactor(before) ? null : await turnOn(tx, owner, origin);
    await owner.afterChange(tx, "passkey_added", { name });
    return { recoveryCodes, cookie: await owner.renewSession(tx, origin) };
  });
}

const setupExpired = () => new Refusal("not_allowed", "That took too long. Start again");
