import { freePort } from "#server/processes/ports.ts";

/** Above the range that Posthouse itself uses (`freePort`). */
const FIRST = 20_480;
const PORTS = 1_536;
const RANGES = 8;

/**
 * A free TCP port on loopback. Minutes can pass before a test's server listens on it, so concurrent test processes, and the
 * appliances they start, use different ranges.
 */
export function aFreePort(): Promise<number> {
  const range = Number(process.env.VITEST_POOL_ID ?? 0) % RANGES;
  const first = FIRST + range * PORTS;
  return freePort({ first, end: first + PORTS });
}
