import { createHash, randomInt } from "node:crypto";

import { and, eq, isNull, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { factorTables } from "./internal/factor-tables.ts";

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
