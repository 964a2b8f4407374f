import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Linux gives outgoing connections ports from 32768 on: one of those may be gone before it is listened on. */
const FIRST = 10_240;
const END = 32_768;
const TRIES_MAX = 100;

/** A TCP port on loopback that nothing listens on right now, and that no outgoing connection will take. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST} to ${END - 1} seems to be free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
