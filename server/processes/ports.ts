import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";

/** From `first` up to, but not including, `end`. */
export type PortRange = { first: number; end: number };

/** Below 32768, where Linux starts to assign ports to outgoing connections. Tests use ports above this range. */
const OWN_RANGE: PortRange = { first: 10_240, end: 20_480 };

const TRIES_MAX = 100;

/** Ports this process was given: they may not be in use yet. */
const given = new Set<number>();

/** A free TCP port on loopback outside the range of outgoing connections. Never returns a port twice. */
export async function freePort({ first, end }: PortRange = OWN_RANGE): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(first, end);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found from ${first} to ${end - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

const LISTENING = "0A";

/**
 * The process that listens on a local TCP port, such as "postgres (pid 4711)"; null if unknown, as for processes of other
 * users.
 */
export async function findPortHolder(port: number): Promise<string | null> {
  const sockets = await listeningSockets(port);
  if (sockets.size === 0) return null;
  for (const pid of await processIds())
    if (await holdsOneOf(pid, sockets)) return `${await commandOf(pid)} (pid ${pid})`;
  return null;
}

async function listeningSockets(port: number): Promise<Set<string>> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const row of (await readIfAllowed(table)).split("\n")) {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
      if (state === LISTENING && local?.endsWith(`:${hexPort}`)) sockets.add(`socket:[${inode!}]`);
    }
  return sockets;
}

const processIds = async (): Promise<string[]> =>
  (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));

async function holdsOneOf(pid: string, sockets: Set<string>): Promise<boolean> {
  // Skip processes that have exited or belong to another user.
  for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
    if (sockets.has(target)) return true;
  }
  return false;
}

const commandOf = async (pid: string): Promise<string> =>
  (await readIfAllowed(`/proc/${pid}/comm`)).trim();

const readIfAllowed = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
