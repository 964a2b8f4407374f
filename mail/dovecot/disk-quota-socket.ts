import { once } from "node:events";
import { chmod, chown } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Logger } from "pino";

import type { ServiceUser } from "#server/processes/service-user.ts";

/** Below Dovecot's base_dir. */
const SOCKET = "disk-quota";

/** The limit of the second quota, and a usage that exceeds it. */
const LIMIT_TB = 1;
const OVER_BYTES = 2 * 1024 ** 4;

/**
 * Settings for the `plugin` block of IMAP: a second quota, which is over its limit for everyone while
 * the disk is below its reserve. Moving and deleting messages, which free space, are not checked.
 *
 * Deliveries (LMTP) have no such quota: what was accepted has to be delivered.
 */
export const diskQuotaPlugin = `  quota2 = dict:Disk::hidden:proxy:${SOCKET}:disk
  quota2_rule = *:storage=${LIMIT_TB}T
  quota_exceeded_message = The mailbox is full, or the disk of the server is
`;

/**
 * Answers Dovecot's questions about the second quota, in its dict protocol (a line per command, its
 * first letter says which). What Dovecot writes to the quota is acknowledged and not kept.
 *
 * @param baseFolder Dovecot's base_dir, which is emptied at each of its starts
 * @param isFull whether the disk is below its reserve at this moment
 * @returns ends it
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
      log.warn({ err: error }, "could not tell Dovecot whether the disk is full");
      socket.destroy();
    });
  });
  const path = join(baseFolder, SOCKET);
  server.listen(path);
  await once(server, "listening");
  await chown(path, user.uid, user.gid);
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
    // Commit, with and without somebody who waits for it.
    else if (command === "C") socket.write(`O${id}\n`);
    else if (command === "D") socket.write(`AO${id}\n`);
  }
}
