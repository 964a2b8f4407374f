import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

import { config } from "#server/config.ts";
import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { createPrivateFileOnce } from "#server/processes/private-file.ts";

const KEY_BYTES = 32;

/** The data folder has no instance key, or a different one than the database was set up with. */
export class InstanceKeyError extends Error {
  override name = "InstanceKeyError";
}

/** Path of the instance key. */
export const instanceKeyFile = () =>
  config().instanceKeyFile ?? join(config().dataFolder, "keys/instance.key");

const keys = new Map<string, KeyObject>();

/**
 * The key that seals this instance's secrets, created on first use. A key object, because with a Buffer each use takes
 * several times as long.
 *
 * Stored in `POSTHOUSE_INSTANCE_KEY_FILE` or the data folder (readable by the appliance's user only), not in the
 * database, so that a stolen database dump reveals nothing.
 *
 * @throws Error if the file doesn't contain a key
 */
export function instanceKey(): KeyObject {
  const file = instanceKeyFile();
  let key = keys.get(file);
  if (!key) {
    const bytes = Buffer.from(readOrCreateSecret(file), "base64url");
    if (bytes.length !== KEY_BYTES)
      throw new Error(`${file} is not an instance key: it must contain ${KEY_BYTES} bytes`);
    keys.set(file, (key = createSecretKey(bytes)));
  }
  return key;
}

const SECRET_BYTES = 32;

/**
 * Reads a 32-byte secret (base64url) from `file`, creating it on first use, readable by the appliance's user only. Several
 * processes may create it at once, and get the same one.
 *
 * @param secret to create; random by default
 */
export function readOrCreateSecret(file: string, secret?: Buffer): string {
  const kept = readSecret(file);
  if (kept !== null) return kept;
  createFolder(dirname(file));
  createPrivateFileOnce(file, (secret ?? randomBytes(SECRET_BYTES)).toString("base64url"));
  return readNoFollow(file);
}

function readSecret(file: string): string | null {
  try {
    return readNoFollow(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

const BYTES = 32;

type Purpose =
  | "dovecot database"
  | "doveadm"
  | "host links"
  | "setup token"
  | "receipts"
  | "audit log"
  | "webmail";

/** A secret derived from the instance key, so that all hosts of the instance agree on it. */
export const derivedSecret = (purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync("sha256", instanceKey(), "", `posthouse ${purpose}`, BYTES));

/** The password of Dovecot's database role. */
export const dovecotDatabasePassword = (): string =>
  derivedSecret("dovecot database").toString("base64url");
