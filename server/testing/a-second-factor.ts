import { randomBytes } from "node:crypto";

import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";

import { passkeys, people } from "#drizzle/schema/index.ts";
import { personAccount } from "#server/core/access/second-factors/factors.ts";
import { newTotpSecret, replaceRecoveryCodes } from "#server/core/access/second-factors/codes.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";

const STEP_MS = 30_000;

/** The middle of the current time step, for tests that stop their clock. */
export const middleOfStep = () => Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2;

/** The code of an authenticator app, `steps` time steps of 30 seconds from now. */
export function totpCode(secret: string, { steps = 0 } = {}): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + steps * STEP_MS });
}

/** Sets up an authenticator app and recovery codes for a person. */
export async function aTotp(email: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = newTotpSecret();
  await db()
    .update(people)
    .set({ totpSecret: seal("totp_secret", secret) })
    .where(eq(people.email, email));
  return { secret, recoveryCodes: await replaceRecoveryCodes(db(), personAccount(email)) };
}

/** Adds a passkey without a private key: it can't sign in. */
export async function aPasskeyOf(email: string, name = "Key"): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  await db()
    .insert(passkeys)
    .values({ id, email, name, publicKey: Buffer.from([0]) });
  return id;
}
