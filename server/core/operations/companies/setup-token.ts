import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";
import { keptSecret } from "#server/core/shared/secrets/kept-secret.ts";

/** The file whose content lets a person make the first company in the browser. */
export const setupTokenFile = (dataFolder: string) => join(dataFolder, "keys/setup-token");

/** The token for the first company, made at first use and the same ever after. */
export function ensureSetupToken(dataFolder: string): string {
  return keptSecret(setupTokenFile(dataFolder));
}

/** Ends the first-run page: from now on people are added in the console. */
export async function removeSetupToken(dataFolder: string): Promise<void> {
  await rm(setupTokenFile(dataFolder), { force: true });
}

/** Whether this is the token of this instance. Takes the same time for every wrong one. */
export async function isSetupToken(token: string): Promise<boolean> {
  const expected = await readFile(setupTokenFile(config().dataFolder), "utf8").catch(() => null);
  return expected !== null && timingSafeEqual(digest(token), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
