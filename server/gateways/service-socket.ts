import { readlinkSync } from "node:fs";
import { join } from "node:path";

/** sun_path of unix(7) without its closing NUL. */
export const SOCKET_PATH_MAX = 107;

/** LMTP, LMTP that creates no folders, the doveadm API, and IMAP for the appliance itself. */
export type DovecotSocket = "lmtp" | "lmtp-existing" | "http" | "imap";

/**
 * The path of one of Dovecot's sockets. Call it before each connection, like `socketIn`.
 *
 * @throws Error if Dovecot has never run on this data folder, so the path is unknown
 */
export function dovecotSocket(dataFolder: string, name: DovecotSocket): string {
  try {
    return socketIn(join(dataFolder, "dovecot/run"), name);
  } catch (error) {
    throw new Error(`Dovecot is not running on ${dataFolder}`, { cause: error });
  }
}

/**
 * The path of a socket in a service's run folder. If the data folder's path is too long for sockets, the
 * run folder is a link to a short path that changes at each start of the service, so call it before each
 * connection.
 *
 * @throws Error when that link does not exist
 */
export function socketIn(run: string, name: string): string {
  const path = join(run, name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  return join(readlinkSync(run), name);
}
