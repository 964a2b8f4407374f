import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, test } from "vitest";

import { findPortHolder, freePort } from "./ports.ts";

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

test("names the process that listens on a port with its pid; null once the port is closed", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await findPortHolder(port)).toContain(`(pid ${process.pid})`);
  server.close();
  await once(server, "close");
  expect(await findPortHolder(port)).toBeNull();
});
