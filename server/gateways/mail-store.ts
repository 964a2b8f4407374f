import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";

import { removeCollections } from "./calendar-store.ts";

/** The search index of a folder in a mail store, and the metadata of all indexes in a store. Backups skip both. */
export const INDEX_FOLDER = "fts-flatcurve";
export const INDEX_MARK = "search-index.json";

/** A domain's folder and a mailbox's folder in it, without anything that could escape from `mail`. */
const STORE = /^[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9._+-]*$/;

/**
 * The path of a mailbox's mail.
 *
 * @param store its folder below `mail` in the data folder
 * @throws Error if `store` is not such a folder
 */
export function mailStorePath(store: string, dataFolder = config().dataFolder): string {
  if (!STORE.test(store)) throw new Error(`"${store}" is not the folder of a mailbox`);
  return join(dataFolder, "mail", store);
}

/** Deletes the mail, calendars and contacts of a mailbox from the disk. Safe to repeat. */
export async function removeMailStore(store: string, dataFolder?: string): Promise<void> {
  const path = mailStorePath(store, dataFolder);
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  await removeCollections(store, dataFolder);
}

/** Whether a data folder has the mail of a mailbox. */
export const hasMailStore = (store: string, dataFolder: string): boolean =>
  existsSync(mailStorePath(store, dataFolder));

/** "Some changes couldn't be done" (doveadm-backup(1)): mail changed meanwhile. The next run picks it up. */
const INCOMPLETE = 2;
const RUNS_MAX = 5;

/** Repeats a run of dsync that missed changes. */
export async function untilSynced<Result extends { code: number | null }>(
  sync: () => Promise<Result>,
): Promise<Result> {
  for (let run = 1; ; run++) {
    const result = await sync();
    if (result.code !== INCOMPLETE || run === RUNS_MAX) return result;
  }
}
