import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

import { config } from "#server/config.ts";

/** A proxy to the test's database whose connections can be cut, like a restart of Postgres does. */
export async function aDatabaseProxy() {
  const database = new URL(config().databaseUrl!);
  const open = new Set<Socket>();
  const toDatabase = new Set<Socket>();
  let isFrozen = false;
  let cutting: string | null = null;
  const door = createServer((client) => {
    if (isFrozen) {
      open.add(client);
      return;
    }
    const server = createConnection(Number(database.port), database.hostname);
    toDatabase.add(server);
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        toDatabase.delete(server);
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => {
      if (cutting === null || !chunk.includes(cutting)) return;
      cutting = null;
      client.resetAndDestroy();
    });
    client.pipe(server).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  const { port } = door.address() as AddressInfo;
  const url = new URL(database);
  url.port = String(port);
  return {
    url: url.href,
    /** Closes all connections and rejects new ones. */
    async shut() {
      const closed = once(door, "close");
      door.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    /** Keeps all connections open but stops forwarding, like a database that hangs. */
    freeze() {
      isFrozen = true;
      for (const socket of open) socket.unpipe().pause();
    },
    /** Forwards statements to the database, but none of its replies. */
    loseReplies() {
      for (const socket of toDatabase) socket.unpipe().resume();
    },
    /** Resets the next connection that sends this text. */
    cutOn(text: string) {
      cutting = text;
    },
    async reopen() {
      isFrozen = false;
      door.listen(port, "127.0.0.1");
      await once(door, "listening");
    },
    /** Resolves on the next connection. */
    untilUsed: () => once(door, "connection"),
  };
}
