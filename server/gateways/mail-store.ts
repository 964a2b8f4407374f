import { rm } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";

/** A domain's folder and a mailbox's folder in it, without anything that could escape from `mail`. */
const STORE = /^[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9._+-]*$/;

/**
 * Deletes the mail of a mailbox from the disk. Safe to repeat.
 *
 * @param store its folder below `mail` in the data folder
 * @throws Error if `store` is not such a folder
 */
export async function removeMailStore(
  store: string,
  dataFolder = config().dataFolder,
): Promise<void> {
  if (!STORE.test(store)) throw new Error(`"${store}" is not the folder of a mailbox`);
  await rm(join(dataFolder, "mail", store), { recursive: true, force: true, maxRetries: 3 });
}
