import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";

import { afterEach, expect, test } from "vitest";

import { limitLife } from "./limit-life.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

test("what a connection brings prolongs its life, and none lives on for nothing", async () => {
  const server = createServer((socket) => {
    socket.resume();
    limitLife(socket, { lifeMs: 200, bytesPerSecondMin: 100 });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connect = async () => {
    const socket = createConnection(port, "127.0.0.1").resume();
    sockets.push(socket.on("error", () => {}));
    await once(socket, "connect");
    return socket;
  };
  const [busy, idle] = [await connect(), await connect()];
  busy.write("x".repeat(100 * 60));
  await once(idle, "close");
  expect(busy.destroyed).toBe(false);
  busy.destroy();
  server.close();
});
