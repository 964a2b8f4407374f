import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";

import { desc } from "drizzle-orm";

import { dkimKeys, instance, webhooks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { instanceKey, InstanceKeyError, instanceKeyFile } from "./instance-key.ts";
import { isOpenable } from "./seal.ts";

/** Newest secrets of each kind that tell which key a database of an older version was used with. */
const SAMPLE = 100;

/**
 * Makes sure that this process has the instance key that the database belongs to, creating the key with
 * a new database. Run it before anything is sealed, signed or opened: with another key the sealed secrets
 * can't be opened and links and bounce addresses of other hosts are not recognized.
 *
 * @throws InstanceKeyError naming the file to copy; no key is created then
 */
export async function requireInstanceKey(db: Db): Promise<void> {
  const expected = (await readFingerprint(db)) ?? (await claimDatabase(db));
  const file = instanceKeyFile();
  if (!existsSync(file)) throw refusal(`${file} is missing`);
  if (ownFingerprint() !== expected) throw refusal(`${file} holds another key`);
}

async function readFingerprint(db: Db): Promise<string | null> {
  const [row] = await db.select({ fingerprint: instance.keyFingerprint }).from(instance);
  return row?.fingerprint ?? null;
}

/** Of two hosts that claim a database at once, the second finds the fingerprint of the first. */
async function claimDatabase(db: Db): Promise<string> {
  const sealed = await newestSecrets(db);
  if (sealed.length > 0) {
    const file = instanceKeyFile();
    if (!existsSync(file)) throw refusal(`${file} is missing`);
    if (!sealed.some(isOpenable)) throw refusal(`${file} holds another key`);
  }
  await db.insert(instance).values({ keyFingerprint: ownFingerprint() }).onConflictDoNothing();
  return (await readFingerprint(db))!;
}

async function newestSecrets(db: Db): Promise<string[]> {
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
  return [...keys, ...hooks].map(({ sealed }) => sealed);
}

/** Tells keys apart without giving anything away about them. */
function ownFingerprint(): string {
  return createHmac("sha256", instanceKey()).update("posthouse instance key").digest("base64url");
}

const refusal = (found: string) =>
  new InstanceKeyError(
    `This data folder doesn't have the instance key that the database was set up with: ${found}. Copy keys/instance.key here from the ` +
      "data folder of the host that set it up, or from its backup. Without that key the DKIM keys, " +
      "webhook secrets and authenticator apps can't be used",
  );
