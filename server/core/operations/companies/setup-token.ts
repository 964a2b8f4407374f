import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";
import { derivedSecret } from "#server/core/shared/secrets/derived-secret.ts";
import { readOrCreateSecret } from "#server/core/shared/secrets/read-or-create-secret.ts";
import { removeFile } from "#server/processes/open-no-follow.ts";

/** The file with the token that authorizes creating the first company in the browser. */
export const setupTokenFile = (dataFolder: string) => join(dataFolder, "keys/setup-token");

/** The setup token, stored on first use. All hosts of the instance have the same one. */
export function ensureSetupToken(dataFolder: string): string {
  return readOrCreateSecret(setupTokenFile(dataFolder), derivedSecret("setup token"));
}

/** Ends the first run. */
export function removeSetupToken(dataFolder: string): void {
  removeFile(setupTokenFile(dataFolder));
}

/** Compares in constant time. */
export async function isSetupToken(token: string): Promise<boolean> {
  const expected = await readFile(setupTokenFile(config().dataFolder), "utf8").catch(() => null);
  return expected !== null && timingSafeEqual(digest(token), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
