import { rm } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";

/** A domain's folder and a mailbox's in it, neither of which leads anywhere else. */
const STORE = /^[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9._+-]*$/;

/**
 * Removes the mail of a mailbox from the disk for good. Doing it again does no harm.
 *
 * @param store its folder below `mail` in the data folder
 * @throws Error for a text that is no such folder
 */
export async function removeMailStore(
  store: string,
  dataFolder = config().dataFolder,
): Promise<void> {
  if (!STORE.test(store)) throw new Error(`"${store}" is not the folder of a mailbox`);
  await rm(join(dataFolder, "mail", store), { recursive: true, force: true, maxRetries: 3 });
}
