import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** From `first` up to, but without, `end`. */
export type PortRange = { first: number; end: number };

/** Below 32768, where Linux assigns ports to outgoing connections. The tests choose theirs above. */
const OWN_RANGE: PortRange = { first: 10_240, end: 20_480 };
const TRIES_MAX = 100;

/** Ports this process was given: they may not be in use yet. */
const given = new Set<number>();

/** A free TCP port on loopback outside the range of outgoing connections. Never returns a port twice. */
export async function freePort({ first, end }: PortRange = OWN_RANGE): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(first, end);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${first} to ${end - 1} seems to be free`);
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
