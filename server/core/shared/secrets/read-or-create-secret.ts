import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { createPrivateFile } from "#server/processes/private-file.ts";

const SECRET_BYTES = 32;

/**
 * Reads a 32-byte random secret (base64url) from `file`, creating it on first use, readable by the
 * appliance's user only.
 */
export function readOrCreateSecret(file: string): string {
  return readSecret(file) ?? createSecret(file);
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
function createSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  createPrivateFile(own, secret);
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
