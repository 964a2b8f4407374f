import { readlinkSync } from "node:fs";
import { join } from "node:path";

/** sun_path of unix(7) without its closing NUL. */
export const SOCKET_PATH_MAX = 107;

/**
 * The path of one of Dovecot's sockets. Below a data folder too deep for a socket's path, the folder
 * `dovecot/run` is a link to a short one that changes with Dovecot's starts: ask before each connection.
 *
 * @throws Error when Dovecot has never run on this data folder and the path cannot be told
 */
export function dovecotSocket(dataFolder: string, name: "lmtp" | "http"): string {
  const run = join(dataFolder, "dovecot/run");
  const path = join(run, name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  try {
    return join(readlinkSync(run), name);
  } catch (error) {
    throw new Error(`Dovecot is not running on ${dataFolder}`, { cause: error });
  }
}
