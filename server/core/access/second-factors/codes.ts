import { createHash, randomInt } from "node:crypto";

import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";

import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

import { type FactorAccount, factorTables } from "./factors.ts";

const PERIOD_SECONDS = 30;

/** Accept codes one step early or late, for clock skew. */
const WINDOW = 1;

/** RFC 4226, 4: at least 128 bits, better 160. */
const SECRET_BYTES = 20;

/** Base32. */
export const newTotpSecret = () => new Secret({ size: SECRET_BYTES }).base32;

function createTotp(secret: string, email: string): TOTP {
  return new TOTP({
    issuer: "Posthouse",
    label: email,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
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
  const totp = createTotp(unseal("totp_secret", sealedSecret), "");
  const delta = totp.validate({ token: digits, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** Uses up a code; false if it is wrong or its time step was already used. */
export async function consumeTotpCode(
  db: Db,
  account: FactorAccount,
  code: string,
): Promise<boolean> {
  const { accounts } = factorTables(account);
  const isAccount = eq(accounts.email, account.email);
  const [found] = await db.select({ secret: accounts.totpSecret }).from(accounts).where(isAccount);
  const step = found?.secret ? findTimeStep(found.secret, code, new Date()) : null;
  if (step === null) return false;
  const isUnused = or(isNull(accounts.totpLastStep), lt(accounts.totpLastStep, step));
  const taken = await db
    .update(accounts)
    .set({ totpLastStep: step })
    .where(and(isAccount, isUnused))
    .returning({ email: accounts.email });
  return taken.length > 0;
}

const CODES = 10;

/** 32 characters without look-alikes: 16 of them are 80 bits. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

const GROUPS = 4;
const GROUP_LENGTH = 4;

const normalized = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const hashRecoveryCode = (code: string) =>
  createHash("sha256").update(normalized(code)).digest("hex");

/** Creates ten recovery codes in place of the earlier ones; only hashes are stored. */
export async function replaceRecoveryCodes(db: Db, account: FactorAccount): Promise<string[]> {
  const { email } = account;
  const { recoveryCodes } = factorTables(account);
  const codes = Array.from({ length: CODES }, newCode);
  await db.delete(recoveryCodes).where(eq(recoveryCodes.email, email));
  await db
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ email, codeHash: hashRecoveryCode(code) })));
  return codes;
}

/** Uses up a recovery code; false if it is wrong or was already used. */
export async function consumeRecoveryCode(
  db: Db,
  account: FactorAccount,
  code: string,
): Promise<boolean> {
  const { recoveryCodes } = factorTables(account);
  const taken = await db
    .update(recoveryCodes)
    .set({ usedAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(recoveryCodes.email, account.email),
        eq(recoveryCodes.codeHash, hashRecoveryCode(code)),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ email: recoveryCodes.email });
  return taken.length > 0;
}

const newCode = () =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
  ).join("-");
