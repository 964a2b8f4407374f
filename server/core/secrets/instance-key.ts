import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

import { config } from "#server/config.ts";

const KEY_BYTES = 32;

const keys = new Map<string, Buffer>();

/**
 * The key that this instance's secrets are sealed with, made at first use.
 *
 * It lives in the data folder (`keys/instance.key`, readable by the appliance's user only) and not in
 * the database: a stolen database dump alone opens nothing.
 *
 * @throws when the file is there but is not a key
 */
export function instanceKey(): Buffer {
  const folder = join(config().dataFolder, "keys");
  let key = keys.get(folder);
  if (!key) {
    key = readKey(folder) ?? makeKey(folder);
    keys.set(folder, key);
  }
  return key;
}

function readKey(folder: string): Buffer | null {
  const file = join(folder, "instance.key");
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw error;
  }
  if (key.length !== KEY_BYTES)
    throw new Error(`${file} is not an instance key: it should hold ${KEY_BYTES} bytes`);
  return key;
}

/**
 * Several processes may start at once: each writes a file of its own, and link(2) lets exactly one of
 * them become the key, complete from the first moment. The others read that one.
 */
function makeKey(folder: string): Buffer {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, `instance-${randomBytes(6).toString("hex")}.tmp`);
  const descriptor = openSync(own, "wx", 0o600);
  try {
    writeSync(descriptor, randomBytes(KEY_BYTES));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(own, join(folder, "instance.key"));
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  } finally {
    unlinkSync(own);
  }
  return readKey(folder)!;
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
