import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Logger } from "pino";

import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

/** Sockets below Dovecot's base_dir. */
export const DISK_QUOTA_SOCKET = "disk-quota";
export const USAGE_SOCKET = "usage";

/** The limit of the second quota of Dovecot 2.3, and a usage above it. */
export const DISK_QUOTA_LIMIT = "1T";
const OVER_BYTES = 2 * 1024 ** 4;

type Dict = {
  lookUp?: () => Promise<number>;
  /** Called with what a transaction sets. */
  write?: (user: string, values: Map<string, string>) => void;
};

/**
 * The dict of the second quota of Dovecot 2.3, which everyone exceeds while free disk space is below the reserve. Moving and
 * deleting messages is not checked. Discards writes.
 *
 * @param isFull whether free disk space is below the reserve right now
 */
export const diskQuotaDict = (isFull: () => Promise<boolean>): Dict => ({
  lookUp: async () => ((await isFull()) ? OVER_BYTES : 0),
});

/**
 * Serves a dict to Dovecot. Speaks its dict protocol: one command per line, named by its first letter.
 *
 * @param baseFolder Dovecot's base_dir, which is emptied at each start of Dovecot
 * @returns a function that stops listening
 */
export async function listenForDict(
  baseFolder: string,
  { name, user, log, dict }: { name: string; user: ServiceUser; log: Logger; dict: Dict },
): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    answerCommands(socket, dict).catch((error: unknown) => {
      log.warn({ err: error, name }, "a request of Dovecot failed");
      socket.destroy();
    });
  });
  const path = join(baseFolder, name);
  server.listen(path);
  await once(server, "listening");
  giveTo(user, path);
  await chmod(path, 0o600);
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}

async function answerCommands(socket: Socket, { lookUp, write }: Dict): Promise<void> {
  const begun = new Map<string, { user: string; values: Map<string, string> }>();
  const commit = (id: string) => {
    const transaction = begun.get(id);
    if (transaction) write?.(transaction.user, transaction.values);
    begun.delete(id);
    return `O${id}\n`;
  };
  type Command = (id: string, fields: string[]) => unknown;
  const commands: Record<string, Command> = {
    L: async () => socket.write(lookUp ? `O${await lookUp()}\n` : "N\n"),
    // A transaction.
    B: (id, [user = ""]) => begun.set(id, { user, values: new Map() }),
    S: (id, [key = "", value = ""]) => begun.get(id)?.values.set(key, value),
    C: (id) => socket.write(commit(id)),
    // Asynchronously.
    D: (id) => socket.write(`A${commit(id)}`),
    R: (id) => begun.delete(id),
  };
  for await (const line of createInterface({ input: socket })) {
    const [id = "", ...fields] = line.slice(1).split("\t");
    await commands[line.charAt(0)]?.(id, fields);
  }
}
