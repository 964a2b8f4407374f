import { createSecretKey, type KeyObject } from "node:crypto";
import { join } from "node:path";

import { config } from "#server/config.ts";

import { readOrCreateSecret } from "./read-or-create-secret.ts";

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
