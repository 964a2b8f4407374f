import { randomBytes } from "node:crypto";
import { dirname } from "node:path";

import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { createPrivateFileOnce } from "#server/processes/private-file.ts";

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
