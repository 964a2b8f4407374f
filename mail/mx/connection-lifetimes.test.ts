import { once } from "node:events";
import {
  createConnection,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, test, vi } from "vitest";

import { ConnectionLifetimes, type LifetimeLimits } from "./connection-lifetimes.ts";

const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function aServer(life: LifetimeLimits, address = "127.0.0.1") {
  const lives = new ConnectionLifetimes(life);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}).resume();
    accepted.push(socket);
    lives.limit(socket);
  }).listen(0, address);
  await once(server, "listening");
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const connect = async () => {
    const socket = createConnection(port, "127.0.0.1").resume();
    sockets.push(socket.on("error", () => {}));
    await once(socket, "connect");
    return socket;
  };
  return { lives, accepted, connect };
}

test("received bytes extend a connection's lifetime; an idle one ends", async () => {
  const { connect } = await aServer({ lifetimeMs: 200, bytesPerSecondMin: 100 });
  const [busy, idle] = [await connect(), await connect()];
  busy.write("x".repeat(100 * 60));
  await once(idle, "close");
  expect(busy.destroyed).toBe(false);
});

test.each([
  ["an IPv4 listener", "127.0.0.1"],
  ["a listener for IPv4 and IPv6", "::"],
])("a connection to %s isn't closed before the reply to its message", async (_, address) => {
  const life = { lifetimeMs: 100, bytesPerSecondMin: 100 };
  const { lives, accepted, connect } = await aServer(life, address);
  const socket = await connect();
  let heard = "";
  socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  await vi.waitFor(() => expect(accepted).toHaveLength(1));
  // As smtp-server writes the client's address.
  const session = { remoteAddress: "127.0.0.1", remotePort: accepted[0]!.remotePort };
  await lives.whileReplying(session, () => sleep(400));
  accepted[0]!.write("250 Taken\r\n");

  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
  expect(heard).toBe("250 Taken\r\n");
});
