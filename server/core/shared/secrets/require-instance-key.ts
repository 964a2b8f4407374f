import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";

import { instance } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { instanceKey, InstanceKeyError, instanceKeyFile } from "./instance-key.ts";

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
  await db.insert(instance).values({ keyFingerprint: ownFingerprint() }).onConflictDoNothing();
  return (await readFingerprint(db))!;
}

/** Identifies the key without revealing anything about it. */
const ownFingerprint = (): string =>
  createHmac("sha256", instanceKey()).update("posthouse instance key").digest("base64url");

const wrongKeyError = (found: string) =>
  new InstanceKeyError(
    `This data folder doesn't have the instance key that the database was set up with: ${found}. Copy keys/instance.key here from the ` +
      "data folder of the host that set it up, or from its backup. Without that key the DKIM keys, " +
      "webhook secrets and authenticator apps can't be used",
  );
