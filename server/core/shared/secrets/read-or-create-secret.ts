import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { createPrivateFile } from "#server/processes/private-file.ts";

const SECRET_BYTES = 32;

/**
 * Reads a 32-byte secret (base64url) from `file`, creating it on first use, readable by the appliance's user only.
 *
 * @param secret to create; random by default
 */
export function readOrCreateSecret(file: string, secret?: Buffer): string {
  return readSecret(file) ?? createSecret(file, secret ?? randomBytes(SECRET_BYTES));
}

function readSecret(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw error;
  }
}

/**
 * Several processes may start at once: each writes its own file, and link(2) lets exactly one of them become
 * the secret, complete from the start. The others read that one.
 */
function createSecret(file: string, secret: Buffer): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  createPrivateFile(own, secret.toString("base64url"));
  try {
    linkSync(own, file);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  } finally {
    rmSync(own);
  }
  return readFileSync(file, "utf8");
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
