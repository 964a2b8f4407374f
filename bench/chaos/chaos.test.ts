import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { afterEach, expect, test } from "vitest";

let bench: ChildProcess | undefined;

afterEach(async () => {
  if (!bench || bench.exitCode !== null || bench.signalCode !== null) return;
  bench.kill("SIGTERM");
  await once(bench, "exit");
});

test("six rounds of kill -9 under load lose nothing", async () => {
  const file = join(import.meta.dirname, "../chaos.ts");
  bench = spawn(process.execPath, [file, "--rounds", "6", "--clients", "1"], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [bench.stdout!, bench.stderr!])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(bench, "close");
  expect(output).toMatch(/^6 rounds: [1-9]\d* accepted, \d+ delivered, 0 lost, .* 0 faults$/m);
  expect(bench.exitCode, output).toBe(0);
}, 600_000);
