import { execFile, type ExecFileException } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { collectionsPath, listCollections } from "#server/gateways/calendar-store.ts";
import { untilSynced } from "#server/gateways/mail-store.ts";
import { lockFile } from "#server/processes/run-lock.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { BackupError, backupFolders } from "./layout.ts";
import { makeOwn } from "./prepare.ts";
import { countMessages, prepareReader, readStore } from "./read-store.ts";
import type { Restic } from "./restic.ts";
import { restoreManifest, restoreStores } from "./restored-copy.ts";

type Wanted = {
  address: string;
  /** The mailbox's current store. */
  store: string;
  /** The stores of all mailboxes: a renamed one keeps the store with its earlier address. */
  used: string[];
  /** Only this folder of the mail; all folders, calendars and contacts by default. */
  folder: string | null;
  /** Make the mailbox exactly what it was, instead of adding a folder with the old messages. */
  replace: boolean;
  filesSnapshot: string;
};

/**
 * Restores the mail, calendars and contacts of one mailbox of the running appliance. Without `replace`, the messages are added below a
 * folder "Restored <day>", calendars and address books get that name behind their own unless they are the first, and nothing else changes.
 *
 * @returns the number of messages, the folder they are in, and the number of calendars and address books
 * @throws BackupError
 */
export async function restoreMailbox(
  engine: Restic,
  dataFolder: string,
  wanted: Wanted,
): Promise<{ messages: number; into: string; collections: number }> {
  const { address, folder, replace, filesSnapshot } = wanted;
  const folders = backupFolders(dataFolder);
  const lock = await lockFile(folders.mailboxLock, { waitMs: 0 });
  if (!lock)
    throw new BackupError("Another mailbox is being restored. Try again when that is done");
  const scratch = join(folders.own, "mailbox");
  try {
    await rm(scratch, { recursive: true, force: true });
    const manifest = await restoreManifest(engine, scratch, filesSnapshot);
    const store = chooseStore(manifest.stores, wanted);
    const copy = join(scratch, "data");
    await restoreStores(engine, copy, { filesSnapshot, stores: [store] });
    const reader = await prepareReader(copy);
    const home = join(copy, "mail", store);
    const all = await readStore(reader, { home, store, expected: manifest.stores[store]! });
    const messages = folder === null ? all : await countMessages(reader, home, folder);
    const source = `sdbox:${join(home, "sdbox")}`;
    const live = join(dataFolder, "dovecot/etc/dovecot.conf");
    const day = manifest.time.slice(0, 10);
    const into = replace ? (folder ?? "the mailbox") : `Restored ${day}`;
    if (replace) {
      const only = folder === null ? [] : ["-m", folder];
      await runDoveadm(live, ["backup", "-u", address, "-R", ...only, source]);
    } else {
      const query = folder === null ? ["ALL"] : ["mailbox", folder, "ALL"];
      await runDoveadm(live, ["import", "-s", "-u", address, source, into, ...query]);
    }
    const from = collectionsPath(store, copy);
    const to = collectionsPath(wanted.store, dataFolder);
    const collections =
      folder === null ? await placeCollections(from, to, replace ? null : day) : 0;
    return { messages, into, collections };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    lock.release();
  }
}

/** The parameters are those of `placeCollections`. Radicale ignores folders whose names begin with a dot. */
const PLACE_COLLECTIONS = `mkdir -p "$2"
cd "$2"
[ -n "$3" ] || find . -mindepth 1 -delete
for from in "$1"/*; do
  if [ -L "$from" ] || [ ! -d "$from" ]; then continue; fi
  name="\${from##*/}\${3:+-restored-$3}"
  rm -rf "./.new-$name" "./$name"
  cp -a "$from" "./.new-$name"
  if [ -n "$3" ]; then
    sed -i -E 's/("D:displayname": *"([^"\\\\]|\\\\.)*)"/\\1 (Restored '"$3"')"/' "./.new-$name/.Radicale.props"
  fi
  mv "./.new-$name" "./$name"
done`;

/**
 * Copies restored calendars and address books to those of a mailbox, as the service user. If the mailbox has none, they keep their names.
 *
 * @param day added to their names, `2026-11-20`; null to replace all that are there
 * @returns how many there are
 */
export async function placeCollections(
  from: string,
  to: string,
  day: string | null,
): Promise<number> {
  if (!existsSync(from)) return 0;
  await makeOwn(dirname(to));
  const suffix = existsSync(to) ? (day ?? "") : "";
  const { command, args } = await asServiceUser(
    { command: "sh", args: ["-ec", PLACE_COLLECTIONS, "sh", from, to, suffix] },
    { paths: [from], deathSignal: "TERM" },
  );
  await promisify(execFile)(command, args, { cwd: "/" });
  return (await listCollections(from)).length;
}

/** As `newStore` appends it. Others belong to addresses such as ann-marie@. */
const SUFFIX = /^[\da-f]{8}$/;

/** The mailbox's own store, or, if it was deleted and created again, the largest one that an earlier mailbox of that name had. */
export function chooseStore(
  stores: Record<string, number>,
  { address, store, used }: Pick<Wanted, "address" | "store" | "used">,
): string {
  if (stores[store] !== undefined) return store;
  const [local, domain] = address.split("@");
  const prefix = `${domain}/${local}-`;
  const earlier = Object.entries(stores)
    .filter(
      ([name]) =>
        name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length)) && !used.includes(name),
    )
    .toSorted(([, a], [, b]) => b - a);
  const found = earlier[0];
  if (!found) throw new BackupError(`This backup has no mail of ${address}`);
  return found[0];
}

/** Runs doveadm on the running Dovecot's configuration, as the service user; again if `backup` missed changes. */
export async function runDoveadm(configuration: string, args: string[]): Promise<void> {
  const { command, args: own } = await asServiceUser(
    { command: "doveadm", args: ["-c", configuration, ...args] },
    { paths: [configuration], deathSignal: "TERM" },
  );
  const { failure } = await untilSynced(async () => {
    try {
      await promisify(execFile)(command, own, { cwd: "/" });
      return { code: 0, failure: null };
    } catch (error) {
      const failure = error as ExecFileException & { stderr?: string };
      return { code: Number(failure.code), failure };
    }
  });
  if (!failure) return;
  const { stderr = "", message } = failure;
  const reason = stderr.trim().split("\n").at(-1) || message;
  throw new BackupError(
    `Dovecot can't restore the mail: ${reason}. The appliance must be running, and the mailbox must exist`,
    { cause: failure },
  );
}
