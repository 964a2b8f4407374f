import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Logger } from "pino";

import {
  listSearchStores,
  type SearchStore,
} from "#server/core/mailboxes/mailboxes/search-stores.ts";
import type { SearchFacts } from "#server/core/platform/processes/search-facts.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { dovecotAdmin, storeCommand } from "#server/gateways/dovecot.ts";
import { INDEX_FOLDER, INDEX_MARK, mailStorePath } from "#server/gateways/mail-store.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";
import { runLoop } from "#server/processes/run-loop.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { block } from "./quoting.ts";
import { signalSessions } from "./session-socket.ts";
import { writeStoreConf } from "./store-conf.ts";

/**
 * Words as they are written, since mailbox users write in several languages: no stemming and no stop words. A search first has new
 * mail indexed, at a low priority. If that takes too long, it does without the index.
 */
export const SEARCH_CONF = `${block("fts flatcurve")}fts_search_add_missing = yes
fts_search_read_fallback = yes
fts_search_timeout = 5 secs
language_tokenizers = generic email-address
language_filters = lowercase
${block("language en", "default = yes")}${block(
  "service indexer-worker",
  "executable = /usr/bin/nice -n 10 /usr/lib/dovecot/indexer-worker",
  "process_limit = 2",
)}`;

const HOUR_MS = 3_600_000;

/** Changed mailboxes are indexed this often; searches index what is newer. */
const REPEAT_MS = HOUR_MS;

/** After this many new messages, as by an import, a mailbox is indexed at once. */
const MANY_MESSAGES = 100;

/** The first hour (UTC) in which indexes are optimized, after the nightly backup, and the first in which they aren't. */
const [NIGHT, MORNING] = [3, 6];

/** Kept in the mailbox's store, so that it is there only while the index is. */
type Mark = {
  /** What the mailbox had when it was last indexed; null before the first time. */
  had: { messages: number; bytes: number } | null;
  at: number;
  /** Of the index. */
  bytes: number;
  isOptimized: boolean;
};

type Options = {
  dataFolder: string;
  /** The name of this mail host. */
  host: string | null;
  log: Logger;
  /** What this host lacks for search indexes. */
  lacks: () => SearchFacts["lacks"];
  everyMs: number;
};

export type SearchIndexes = { facts(): SearchFacts; stop(): Promise<void> };

/**
 * Keeps the search indexes of this host's mailboxes, one mailbox at a time and at the lowest priority, so that deliveries never wait:
 * indexes what is new, optimizes at night, and removes the index where the setting or the unit's policy turned it off.
 */
export function keepSearchIndexes(options: Options): SearchIndexes {
  const { dataFolder, host, log, lacks, everyMs } = options;
  const marks = new Map<string, Mark | null>();
  const errors = new Map<string, { reason: string; at: number }>();
  let shown: SearchStore[] = [];
  /** Whether all indexes were removed when the setting was turned off. */
  let isClear = false;

  const markOf = async ({ store }: SearchStore) => {
    if (!marks.has(store)) marks.set(store, await readMark(mailStorePath(store, dataFolder)));
    return marks.get(store) ?? null;
  };
  const setMark = async ({ store }: SearchStore, mark: Mark) => {
    replacePrivateFile(
      join(mailStorePath(store, dataFolder), INDEX_MARK),
      JSON.stringify(mark),
      await serviceUser(),
    );
    marks.set(store, mark);
  };

  async function sweep(signal: AbortSignal): Promise<void> {
    const { full_text_search: setting } = await currentSettings(db());
    if (lacks() !== null || (setting === "off" && isClear)) return;
    await followPolicies();
    isClear = setting === "off";
    for (const store of shown) {
      if (signal.aborted || (await freeBytesAt(dataFolder)) < DISK_RESERVE_BYTES) return;
      await update(store, signal);
    }
  }

  async function followPolicies(): Promise<void> {
    const all = (await listSearchStores(db(), host)).filter(({ store }) =>
      existsSync(mailStorePath(store, dataFolder)),
    );
    shown = all.filter(({ isIndexed }) => isIndexed);
    const dropped = [];
    for (const store of all) {
      const mark = await markOf(store);
      if (store.isIndexed && mark === null) await setMark(store, NEW_MARK);
      if (!store.isIndexed && mark !== null) dropped.push(store);
    }
    await drop(dropped);
  }

  /** Sessions that use an index would create it again. */
  async function drop(stores: SearchStore[]): Promise<void> {
    if (stores.length === 0) return;
    const addresses = new Set(stores.map(({ address }) => address));
    const sessions = await dovecotAdmin(dataFolder).sessionProcesses();
    await signalSessions(
      sessions.filter(({ service, username }) => service === "imap" && addresses.has(username)),
    );
    for (const { store, address } of stores) {
      const home = mailStorePath(store, dataFolder);
      for (const folder of await indexFolders(home))
        await rm(folder, { recursive: true, force: true });
      await rm(join(home, INDEX_MARK), { force: true });
      marks.set(store, null);
      errors.delete(address);
    }
  }

  async function update(store: SearchStore, signal: AbortSignal): Promise<void> {
    const mark = (await markOf(store))!;
    const failed = errors.get(store.address);
    if (failed && Date.now() - failed.at < HOUR_MS) return;
    const home = mailStorePath(store.store, dataFolder);
    const doveadm = (...words: string[]) => runOnStore({ dataFolder, home, words, signal });
    try {
      if (isDue(store, mark)) {
        await doveadm("index", "*");
        const { messages, bytes } = store;
        await setMark(store, {
          had: { messages, bytes },
          at: Date.now(),
          bytes: await indexBytes(home),
          isOptimized: false,
        });
      } else if (isNight() && !mark.isOptimized) {
        await doveadm("fts optimize");
        await setMark(store, { ...mark, bytes: await indexBytes(home), isOptimized: true });
      }
      errors.delete(store.address);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      log.error({ err: error, mailbox: store.address }, "couldn't index a mailbox");
      errors.set(store.address, { reason, at: Date.now() });
    }
  }

  const loop = runLoop(sweep, {
    pauseMs: everyMs,
    ref: false,
    onError: (error) => log.error({ err: error }, "couldn't update search indexes"),
  });
  return {
    facts() {
      const known = shown.map(({ store }) => marks.get(store) ?? NEW_MARK);
      return {
        lacks: lacks(),
        mailboxes: known.length,
        indexed: known.filter(({ had }) => had !== null).length,
        bytes: known.reduce((sum, { bytes }) => sum + bytes, 0),
        errors: [...errors].map(([address, { reason }]) => `${address}: ${reason}`),
      };
    },
    stop: () => loop.stop(),
  };
}

const NEW_MARK: Mark = { had: null, at: 0, bytes: 0, isOptimized: true };

function isDue({ messages, bytes }: SearchStore, { had, at }: Mark): boolean {
  if (had === null) return true;
  if (messages - had.messages >= MANY_MESSAGES) return true;
  const isChanged = messages !== had.messages || bytes !== had.bytes;
  return isChanged && Date.now() - at >= REPEAT_MS;
}

function isNight(): boolean {
  const hour = new Date().getUTCHours();
  return hour >= NIGHT && hour < MORNING;
}

async function readMark(home: string): Promise<Mark | null> {
  try {
    return JSON.parse(await readFile(join(home, INDEX_MARK), "utf8")) as Mark;
  } catch {
    // No mark has been written yet.
    return null;
  }
}

/** The index of each folder, without listing its messages. */
async function indexFolders(home: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.name === MESSAGES) found.push(join(path, INDEX_FOLDER));
      else if (entry.isDirectory()) await visit(path);
    }
  };
  await visit(join(home, "sdbox/mailboxes"));
  return found.filter((folder) => existsSync(folder));
}

/** Where sdbox stores a folder's messages and indexes. */
const MESSAGES = "dbox-Mails";

async function indexBytes(home: string): Promise<number> {
  let bytes = 0;
  for (const folder of await indexFolders(home))
    for (const entry of await readdir(folder, { recursive: true }).catch(() => []))
      bytes += await stat(join(folder, entry)).then(
        (file) => (file.isFile() ? file.size : 0),
        () => 0,
      );
  return bytes;
}

type Run = { dataFolder: string; home: string; words: string[]; signal: AbortSignal };

/**
 * Runs doveadm on a mail store when the machine has nothing else to do.
 *
 * @throws Error with its last line of output
 */
async function runOnStore({ dataFolder, home, words, signal }: Run): Promise<void> {
  const [name, ...args] = words;
  const plugins = block("mail_plugins", "fts = yes", "fts_flatcurve = yes");
  const conf = await writeStoreConf(
    join(dataFolder, "dovecot/search"),
    "2.4",
    plugins + SEARCH_CONF,
  );
  const doveadm = storeCommand("2.4", { conf, command: name!.split(" "), args });
  const { command, args: all } = await asServiceUser(
    { command: "nice", args: ["-n", "19", "doveadm", ...doveadm] },
    // The only signal that ends a stopped process.
    { paths: [conf, home], deathSignal: "KILL" },
  );
  const { name: user } = await serviceUser();
  const env = { ...process.env, HOME: home, USER: user };
  const running = promisify(execFile)(command, all, { env, cwd: "/", signal });
  const stopYielding = yieldToOthers((name) => running.child.kill(name));
  signal.addEventListener("abort", stopYielding);
  try {
    await running;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new Error(stderr.trim().split("\n").at(-1) || "doveadm failed", { cause: error });
  } finally {
    stopYielding();
    signal.removeEventListener("abort", stopYielding);
  }
}

const SLOT_MS = 100;

/** While the machine is busy, the process runs in one of this many slots, so that it continues and holds locks for less than a second. */
const BUSY_SLOTS = 10;

/** The machine counts as busy above this share of CPU time, without processes of low priority. */
const BUSY = 0.4;

/**
 * Stops a process while the machine is busy. The lowest priority isn't enough: on processors that share a core, the process would
 * still slow down deliveries.
 *
 * @param times CPU time of all processors since boot, in any unit
 * @returns a function that stops watching and lets the process continue
 */
export function yieldToOthers(
  kill: (signal: "SIGSTOP" | "SIGCONT") => void,
  times: () => { busy: number; all: number } = processorTimes,
): () => void {
  let last = times();
  let slot = 0;
  const timer = setInterval(() => {
    const now = times();
    const isBusy = now.busy - last.busy > BUSY * (now.all - last.all);
    last = now;
    slot++;
    kill(isBusy && slot % BUSY_SLOTS > 0 ? "SIGSTOP" : "SIGCONT");
  }, SLOT_MS);
  return () => {
    clearInterval(timer);
    kill("SIGCONT");
  };
}

function processorTimes(): { busy: number; all: number } {
  const sum = { busy: 0, all: 0 };
  for (const { times } of cpus()) {
    const busy = times.user + times.sys + times.irq;
    sum.busy += busy;
    sum.all += busy + times.nice + times.idle;
  }
  return sum;
}
