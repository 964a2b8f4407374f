import { randomInt } from "node:crypto";
import { dirname, join } from "node:path";

import { config } from "#server/config.ts";
import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";

export type SandboxSecrets = {
  /** For the owner's console sign-in and the mailbox. */
  password: string;
  /** Null until a key exists. */
  apiKey: string | null;
};

const secretsFile = () => join(config().dataFolder, "keys/sandbox.json");

/** Letters and digits without lookalikes. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** Has 80 bits and is easy to type. */
export function newPassword(): string {
  return Array.from({ length: 16 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Null if the file is missing or invalid. */
export function readSecrets(): SandboxSecrets | null {
  try {
    const { password, apiKey } = JSON.parse(readNoFollow(secretsFile())) as Partial<SandboxSecrets>;
    return password ? { password, apiKey: apiKey ?? null } : null;
  } catch {
    return null;
  }
}

/** Writes the file atomically, readable only by the appliance's user. */
export function storeSecrets(secrets: SandboxSecrets): void {
  const file = secretsFile();
  createFolder(dirname(file));
  replacePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
}
