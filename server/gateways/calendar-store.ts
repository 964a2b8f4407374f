import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { config } from "#server/config.ts";

/** Where Radicale keeps calendars and address books, below the data folder. */
export const CALENDARS = "calendars/collections";

/**
 * A mailbox's user name in Radicale, which is also the name of its folder. It isn't the address, so that a renamed mailbox keeps its
 * collections, and a new mailbox with the old address doesn't get them.
 *
 * @param store the mailbox's `store`: `<domain>/<user>`
 */
export const calendarUser = (store: string): string =>
  `${store.slice(store.indexOf("/") + 1)}@${store.slice(0, store.indexOf("/"))}`;

/** The collections of a mailbox: one folder each, with a file for each event or contact. */
export const collectionsPath = (store: string, dataFolder = config().dataFolder): string =>
  join(dataFolder, CALENDARS, "collection-root", calendarUser(store));

/** Creates a calendar and an address book for a mailbox that has no collections yet. */
export async function createCollections(
  store: string,
  readNames: () => Promise<{ calendar: string; contacts: string }>,
): Promise<void> {
  const home = collectionsPath(store);
  if (existsSync(home)) return;
  const names = await readNames();
  await mkdir(join(home, ".."), { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(home, "../.new-"));
  const create = async (name: string, properties: Record<string, string>) => {
    await mkdir(join(draft, name));
    await writeFile(join(draft, name, ".Radicale.props"), JSON.stringify(properties));
  };
  try {
    await create("calendar", { tag: "VCALENDAR", "D:displayname": names.calendar });
    await create("contacts", { tag: "VADDRESSBOOK", "D:displayname": names.contacts });
    await rename(draft, home);
  } catch (error) {
    await rm(draft, { recursive: true });
    // Another request may have created them meanwhile.
    if (!existsSync(home)) throw error;
  }
}

/** Deletes the calendars and contacts of a mailbox. Safe to repeat. */
export const removeCollections = (store: string, dataFolder?: string): Promise<void> =>
  rm(collectionsPath(store, dataFolder), { recursive: true, force: true, maxRetries: 3 });
