import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { freePort } from "./free-port.ts";

test("returns a port that can be listened on and is outside the ephemeral range", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(10_240);
    expect(port).toBeLessThan(20_480);
  }
  const server = createServer().listen(ports[0], "127.0.0.1");
  await once(server, "listening");
  expect((server.address() as AddressInfo).port).toBe(ports[0]);
  server.close();
});

test("never returns a port twice", async () => {
  const ports: number[] = [];
  for (let i = 0; i < 1_000; i += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(1_000);
});
