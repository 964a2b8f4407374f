import { randomBytes } from "node:crypto";

import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";

import { passkeys, people } from "#drizzle/schema/index.ts";
import { replaceRecoveryCodes } from "#server/core/access/second-factors/recovery-codes.ts";
import { newTotpSecret } from "#server/core/access/second-factors/totp.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";

const STEP_MS = 30_000;

/** The middle of the present time step, for tests to stop their clock at. */
export const middleOfStep = () => Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2;

/** A code that an authenticator app shows, so many steps of 30 seconds from now. */
export function totpCode(secret: string, { steps = 0 } = {}): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + steps * STEP_MS });
}

/** Gives a person an authenticator app and recovery codes. */
export async function aTotp(email: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = newTotpSecret();
  await db()
    .update(people)
    .set({ totpSecret: seal(secret) })
    .where(eq(people.email, email));
  return { secret, recoveryCodes: await replaceRecoveryCodes(db(), email) };
}

/** A passkey that nothing signs with. */
export async function aPasskeyOf(email: string, name = "Key"): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  await db()
    .insert(passkeys)
    .values({ id, email, name, publicKey: Buffer.from([0]) });
  return id;
}
