import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Logger } from "pino";

import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

/** Below Dovecot's base_dir. */
export const DISK_QUOTA_SOCKET = "disk-quota";

/** The limit of the second quota, and a usage above it. */
export const DISK_QUOTA_LIMIT = "1T";
const OVER_BYTES = 2 * 1024 ** 4;

/**
 * Serves the second quota of Dovecot 2.3, which everyone exceeds while free disk space is below the reserve. Moving and deleting
 * messages is not checked. Speaks Dovecot's dict protocol: one command per line, named by its first letter.
 * Acknowledges and discards writes.
 *
 * @param baseFolder Dovecot's base_dir, which is emptied at each start of Dovecot
 * @param isFull whether free disk space is below the reserve right now
 * @returns a function that stops listening
 */
export async function listenForDiskQuota(
  baseFolder: string,
  { user, log, isFull }: { user: ServiceUser; log: Logger; isFull: () => Promise<boolean> },
): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    answerCommands(socket, isFull).catch((error: unknown) => {
      log.warn({ err: error }, "disk quota request failed");
      socket.destroy();
    });
  });
  const path = join(baseFolder, DISK_QUOTA_SOCKET);
  server.listen(path);
  await once(server, "listening");
  giveTo(user, path);
  await chmod(path, 0o600);
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}

async function answerCommands(socket: Socket, isFull: () => Promise<boolean>): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    const [command, id] = [line[0], line.slice(1).split("\t")[0]!];
    // Lookup.
    if (command === "L") socket.write(`O${(await isFull()) ? OVER_BYTES : 0}\n`);
    // Commit, synchronous and asynchronous.
    else if (command === "C") socket.write(`O${id}\n`);
    else if (command === "D") socket.write(`AO${id}\n`);
  }
}
