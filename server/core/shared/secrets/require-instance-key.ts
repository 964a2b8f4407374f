import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";

import { desc } from "drizzle-orm";

import { dkimKeys, instance, webhooks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { instanceKey, InstanceKeyError, instanceKeyFile } from "./instance-key.ts";
import { isOpenable, type SealPurpose } from "./seal.ts";

/** Number of newest secrets of each kind to try, to identify the key of a database from an older version. */
const SAMPLE = 100;

/**
 * Checks that this process has the database's instance key; creates the key for a new database. Run it
 * before anything is sealed, opened or signed: with another key, sealed secrets can't be opened, and links
 * and bounce addresses from other hosts aren't recognized.
 *
 * @throws InstanceKeyError naming the file to copy; no key is created then
 */
export async function requireInstanceKey(db: Db): Promise<void> {
  const expected = (await readFingerprint(db)) ?? (await claimDatabase(db));
  const file = instanceKeyFile();
  if (!existsSync(file)) throw wrongKeyError(`${file} is missing`);
  if (ownFingerprint() !== expected) throw wrongKeyError(`${file} holds another key`);
}

async function readFingerprint(db: Db): Promise<string | null> {
  const [row] = await db.select({ fingerprint: instance.keyFingerprint }).from(instance);
  return row?.fingerprint ?? null;
}

/** If two hosts claim a database concurrently, the second gets the first host's fingerprint. */
async function claimDatabase(db: Db): Promise<string> {
  const sealed = await newestSecrets(db);
  if (sealed.length > 0) {
    const file = instanceKeyFile();
    if (!existsSync(file)) throw wrongKeyError(`${file} is missing`);
    if (!sealed.some(({ purpose, sealed: secret }) => isOpenable(purpose, secret)))
      throw wrongKeyError(`${file} holds another key`);
  }
  await db.insert(instance).values({ keyFingerprint: ownFingerprint() }).onConflictDoNothing();
  return (await readFingerprint(db))!;
}

async function newestSecrets(db: Db): Promise<{ purpose: SealPurpose; sealed: string }[]> {
  const keys = await db
    .select({ sealed: dkimKeys.sealedPrivateKey })
    .from(dkimKeys)
    .orderBy(desc(dkimKeys.createdAt))
    .limit(SAMPLE);
  const hooks = await db
    .select({ sealed: webhooks.sealedSecret })
    .from(webhooks)
    .orderBy(desc(webhooks.createdAt))
    .limit(SAMPLE);
  return [
    ...keys.map(({ sealed }) => ({ purpose: "dkim_key" as const, sealed })),
    ...hooks.map(({ sealed }) => ({ purpose: "webhook_secret" as const, sealed })),
  ];
}

/** Identifies the key without revealing anything about it. */
function ownFingerprint(): string {
  return createHmac("sha256", instanceKey()).update("posthouse instance key").digest("base64url");
}

const wrongKeyError = (found: string) =>
  new InstanceKeyError(
    `This data folder doesn't have the instance key that the database was set up with: ${found}. Copy keys/instance.key here from the ` +
      "data folder of the host that set it up, or from its backup. Without that key the DKIM keys, " +
      "webhook secrets and authenticator apps can't be used",
  );
