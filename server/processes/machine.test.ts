import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { diskUsage } from "./machine.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "machine-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Replaces du by a shell script until the test ends. */
async function fakeDu(script: string): Promise<void> {
  await writeFile(join(folder, "du"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "du"), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
}

test("measures a folder, and 0 for one that doesn't exist", async () => {
  await writeFile(join(folder, "file"), "x".repeat(100_000));
  await writeFile(join(folder, "left out"), "x".repeat(100_000));
  const bytes = await diskUsage(folder, "left*");
  expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(bytes).toBeLessThan(150_000);
  expect(await diskUsage(join(folder, "missing"), "x")).toBe(0);
});

test("reads the sum after any number of errors about deleted files, and none from a du that was killed", async () => {
  await fakeDu("head -c 3000000 /dev/zero >&2; printf '4096\\t%s\\n' \"$4\"; exit 1");
  expect(await diskUsage(folder, "x")).toBe(4096);
  await fakeDu("kill -9 $$");
  await expect(diskUsage(folder, "x")).rejects.toThrow("du");
  vi.unstubAllEnvs();
});
