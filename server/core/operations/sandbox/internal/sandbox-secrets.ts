import { randomBytes, randomInt } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import { config } from "#server/config.ts";
import { createPrivateFile } from "#server/processes/private-file.ts";

export type SandboxSecrets = {
  /** Of the owner in the console and of the mailbox. */
  password: string;
  /** Null until a key was made. */
  apiKey: string | null;
};

const secretsFile = () => join(config().dataFolder, "keys/sandbox.json");

/** Letters and digits without those that look alike. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** 80 bits, easy to type. */
export function newPassword(): string {
  return Array.from({ length: 16 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** The secrets of earlier starts, or null where the file is missing or unreadable. */
export async function readSecrets(): Promise<SandboxSecrets | null> {
  const kept = await readFile(secretsFile(), "utf8")
    .then((text) => JSON.parse(text) as Partial<SandboxSecrets>)
    .catch(() => null);
  return kept?.password ? { password: kept.password, apiKey: kept.apiKey ?? null } : null;
}

/** Writes them whole or not at all, readable by the appliance's user only. */
export async function storeSecrets(secrets: SandboxSecrets): Promise<void> {
  const file = secretsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  createPrivateFile(draft, `${JSON.stringify(secrets, null, 2)}\n`);
  await rename(draft, file);
}
