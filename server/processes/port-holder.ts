import { readdir, readFile, readlink } from "node:fs/promises";

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

async function processIds(): Promise<string[]> {
  return (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
}

async function holdsOneOf(pid: string, sockets: Set<string>): Promise<boolean> {
  // Skip processes that have exited or belong to another user.
  for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
    if (sockets.has(target)) return true;
  }
  return false;
}

async function commandOf(pid: string): Promise<string> {
  return (await readIfAllowed(`/proc/${pid}/comm`)).trim();
}

function readIfAllowed(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
