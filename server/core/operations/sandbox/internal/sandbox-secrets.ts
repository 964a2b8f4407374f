import { randomBytes, randomInt } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import { config } from "#server/config.ts";
import { createPrivateFile } from "#server/processes/private-file.ts";

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
export async function readSecrets(): Promise<SandboxSecrets | null> {
  const kept = await readFile(secretsFile(), "utf8")
    .then((text) => JSON.parse(text) as Partial<SandboxSecrets>)
    .catch(() => null);
  return kept?.password ? { password: kept.password, apiKey: kept.apiKey ?? null } : null;
}

/** Writes the file atomically, readable only by the appliance's user. */
export async function storeSecrets(secrets: SandboxSecrets): Promise<void> {
  const file = secretsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  createPrivateFile(draft, `${JSON.stringify(secrets, null, 2)}\n`);
  await rename(draft, file);
}
