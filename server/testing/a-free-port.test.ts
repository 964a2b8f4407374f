import { expect, test, vi } from "vitest";

test("test processes and the appliances they start never choose the same port", async () => {
  const all: number[] = [];
  for (const pool of ["appliance", "1", "2"]) {
    vi.stubEnv("VITEST_POOL_ID", pool);
    // As in another process.
    vi.resetModules();
    const { aFreePort } = await import("./a-free-port.ts");
    const { freePort } = await import("#server/processes/ports.ts");
    const choose = pool === "appliance" ? () => freePort() : aFreePort;
    all.push(...(await Promise.all(Array.from({ length: 600 }, choose))));
  }
  vi.unstubAllEnvs();
  expect(new Set(all).size).toBe(3 * 600);
  expect(Math.max(...all)).toBeLessThan(32_768);
});
