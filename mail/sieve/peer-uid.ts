import { readFile } from "node:fs/promises";

const TABLE = "/proc/net/tcp";

/**
 * The uid of the process at the other end of a loopback connection, from the kernel's socket table; null if it is not
 * listed.
 */
export async function peerUid(connection: {
  remoteAddress: string;
  remotePort: number;
  localPort: number;
}): Promise<number | null> {
  if (connection.remoteAddress !== "127.0.0.1") return null;
  const peer = `0100007F:${hexPort(connection.remotePort)}`;
  const own = `0100007F:${hexPort(connection.localPort)}`;
  for (const line of (await readFile(TABLE, "latin1")).split("\n")) {
    // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
    if (local === peer && remote === own) return Number(uid);
  }
  return null;
}

const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
