import { and, eq, isNull, lt, or } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";

import { people } from "#drizzle/schema/index.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

const PERIOD_SECONDS = 30;
/** Accept codes one step early or late, for clock skew. */
const WINDOW = 1;
/** RFC 4226, 4: at least 128 bits, better 160. */
const SECRET_BYTES = 20;

/** Base32. */
export const newTotpSecret = () => new Secret({ size: SECRET_BYTES }).base32;

function createTotp(secret: string, email: string): TOTP {
  return new TOTP({
    ...{ issuer: "Posthouse", label: email, algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS },
    secret: Secret.fromBase32(secret),
  });
}

/** The otpauth: URL for the QR code. */
export const totpUrl = (secret: string, email: string) => createTotp(secret, email).toString();

/**
 * Returns the time step (RFC 6238) that a code belongs to; null if the code is wrong.
 *
 * @param sealedSecret as stored
 */
export function findTimeStep(sealedSecret: string, code: string, now: Date): number | null {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const timestamp = now.getTime();
  const totp = createTotp(unseal(sealedSecret), "");
  const delta = totp.validate({ token: digits, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** Uses up a code; false if it is wrong or its time step was already used. */
export async function consumeTotpCode(db: Db, email: string, code: string): Promise<boolean> {
  const [person] = await db
    .select({ secret: people.totpSecret })
    .from(people)
    .where(eq(people.email, email));
  const step = person?.secret ? findTimeStep(person.secret, code, new Date()) : null;
  if (step === null) return false;
  const taken = await db
    .update(people)
    .set({ totpLastStep: step })
    .where(
      and(eq(people.email, email), or(isNull(people.totpLastStep), lt(people.totpLastStep, step))),
    )
    .returning({ email: people.email });
  return taken.length > 0;
}
