import { eq } from "drizzle-orm";

import { acmeAccounts } from "#drizzle/schema/index.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { createAcmeKey } from "#server/gateways/acme.ts";

/** The account at a certificate authority. All hosts that share the database share it. */
type AcmeAccount = {
  key: string;
  /** Null until the authority has created it. */
  url: string | null;
};

/** Finds the account at an authority, or creates its key. */
export async function findOrCreateAccount(db: Db, directoryUrl: string): Promise<AcmeAccount> {
  const known = await findAccount(db, directoryUrl);
  if (known) return known;
  const sealedPrivateKey = seal("acme_account_key", await createAcmeKey());
  await db.insert(acmeAccounts).values({ directoryUrl, sealedPrivateKey }).onConflictDoNothing();
  return (await findAccount(db, directoryUrl))!;
}

async function findAccount(db: Db, directoryUrl: string): Promise<AcmeAccount | null> {
  const [row] = await db
    .select()
    .from(acmeAccounts)
    .where(eq(acmeAccounts.directoryUrl, directoryUrl));
  return row
    ? { key: unseal("acme_account_key", row.sealedPrivateKey), url: row.accountUrl }
    : null;
}

/** @param url null if the authority no longer knows the account, so that the next order creates it again */
export async function storeAccountUrl(
  db: Db,
  directoryUrl: string,
  url: string | null,
): Promise<void> {
  await db
    .update(acmeAccounts)
    .set({ accountUrl: url })
    .where(eq(acmeAccounts.directoryUrl, directoryUrl));
}
