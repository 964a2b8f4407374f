import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { config } from "#server/config.ts";

/** Where Radicale keeps calendars and address books, below the data folder. */
export const CALENDARS = "calendars/collections";

/** The URL path of calendars and contacts. */
export const DAV_PATH = "/dav";

/** The host in the requests that Radicale gets. */
export const DAV_HOST = "posthouse:80";

/** Radicale trusts these headers. */
export const davHeaders = (user: string): Record<string, string> => ({
  "x-remote-user": user,
  "x-script-name": DAV_PATH,
  host: DAV_HOST,
});

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

/** Prefixes of the links to calendars of shared mailboxes; `rights.conf` knows both. */
const SHARED = /^shared-(?:read|write)-/;

/** Whether a collection in a user's home is, or could be, one of a shared mailbox. */
export const isShared = (collection: string): boolean => SHARED.test(collection);

/**
 * Shows the calendars of shared mailboxes in a mailbox user's home as symbolic links, which Radicale follows, and removes all other
 * links. Safe to run several times at once.
 *
 * @param shared the mailboxes that the user can open now
 * @returns the owners' stores by the names of the links
 */
export async function linkCalendars(
  store: string,
  shared: { store: string; canWrite: boolean }[],
): Promise<Map<string, string>> {
  const home = collectionsPath(store);
  const links = new Map<string, string>();
  const targets = new Map<string, string>();
  for (const { store: owner, canWrite } of shared)
    for (const name of await listCalendars(collectionsPath(owner))) {
      const target = join("..", calendarUser(owner), name);
      const id = createHash("sha256").update(target).digest("hex").slice(0, 32);
      const link = `shared-${canWrite ? "write" : "read"}-${id}`;
      links.set(link, owner);
      targets.set(link, target);
    }
  for (const entry of await readdir(home, { withFileTypes: true }))
    if (entry.isSymbolicLink() && !targets.delete(entry.name))
      await rm(join(home, entry.name), { force: true });
  for (const [name, target] of targets)
    await symlink(target, join(home, name)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    });
  return links;
}

/** The folders of a home's own calendars. */
async function listCalendars(home: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await listCollections(home)) {
    // It may have been deleted meanwhile.
    const props = await readFile(join(home, name, ".Radicale.props"), "utf8").catch(() => "");
    if (props.replaceAll(" ", "").includes('"tag":"VCALENDAR"')) names.push(name);
  }
  return names;
}

/**
 * The folders of a home's own calendars and address books, without links and Radicale's own folders. The home is missing if it was never
 * used, or if it was just deleted.
 */
export async function listCollections(home: string): Promise<string[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  return entries.flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith(".") ? [entry.name] : [],
  );
}

/** Deletes the calendars and contacts of a mailbox. Safe to repeat. */
export const removeCollections = (store: string, dataFolder?: string): Promise<void> =>
  rm(collectionsPath(store, dataFolder), { recursive: true, force: true, maxRetries: 3 });

/**
 * Reads a mailbox's calendars and address books from Radicale, each as one file: an iCalendar object or vCards. `content` is null if Radicale
 * can't read a collection, such as one that an app left without a type.
 *
 * @throws Error if Radicale doesn't respond within a minute
 */
export async function* exportCollections(
  store: string,
): AsyncGenerator<{ file: string; content: string | null }> {
  const { calendar: upstream } = config();
  const home = collectionsPath(store);
  if (!upstream) return;
  const { request } = await import("node:http");
  const user = calendarUser(store);
  for (const collection of await listCollections(home)) {
    const path = `${DAV_PATH}/${encodeURIComponent(user)}/${encodeURIComponent(collection)}/`;
    const signal = AbortSignal.timeout(60_000);
    const sent = request({ ...upstream, path, headers: davHeaders(user), agent: false, signal });
    const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
    const content = await text(answer);
    const isVcard = answer.headers["content-type"]?.startsWith("text/vcard");
    const isLong = Buffer.byteLength(collection) > 200;
    const name = isLong ? createHash("sha256").update(collection).digest("hex") : collection;
    const file = `${name}.${isVcard ? "vcf" : "ics"}`;
    yield { file, content: answer.statusCode === 200 ? content : null };
  }
}
