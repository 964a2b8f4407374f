import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { findPortHolder } from "./port-holder.ts";

test("names the process that listens on a port with its pid; null once the port is closed", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await findPortHolder(port)).toContain(`(pid ${process.pid})`);
  server.close();
  await once(server, "close");
  expect(await findPortHolder(port)).toBeNull();
});
