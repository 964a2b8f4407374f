import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { ALLOCATOR_ENV, startNodeProcess } from "./node-process.ts";
import { lastWords } from "./supervise.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-process-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function startProgram(
  code: string,
  { signal = new AbortController().signal, lines = [] as string[], limits = {} } = {},
) {
  const file = join(folder, "program.mjs");
  await writeFile(file, code);
  const onLine = (line: string) => void lines.push(line);
  return startNodeProcess({ file, env: process.env, onLine, limits }, signal);
}

const READY = `process.send({ type: "ready" });`;

test("a process is running once it reports ready, and stops on request", async () => {
  const stopping = new AbortController();
  const lines: string[] = [];
  const run = await startProgram(
    `console.log("hello");
    process.on("SIGTERM", () => { console.error("good-bye"); process.exit(0); });
    setTimeout(() => ${READY.slice(0, -1)}, 50);
    process.on("disconnect", () => process.exit(3));`,
    { signal: stopping.signal, lines },
  );
  stopping.abort();
  expect(await run.exited).toMatchObject({ code: 0, signal: null });
  expect(lines).toEqual(["hello", "good-bye"]);
});

test("a process that reports its failure fails with that sentence", async () => {
  await expect(
    startProgram(`process.send({ type: "failed", message: "no certificate" }); process.exitCode = 1;
      process.disconnect();`),
  ).rejects.toThrow("no certificate");
});

test("a process that throws before it is ready fails with the error's message, not the end of its stack", async () => {
  await expect(startProgram(`throw new TypeError("not a function");`)).rejects.toThrow(
    "TypeError: not a function",
  );
});

test("a process that ends by a signal reports the signal", async () => {
  const run = await startProgram(`${READY} setInterval(() => {}, 1000);`);
  process.kill(run.pid, "SIGKILL");
  expect(await run.exited).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("Ctrl-C in the terminal does not reach the process, which has its own session", async () => {
  const stopping = new AbortController();
  const lines: string[] = [];
  const run = await startProgram(
    `import { readFileSync } from "node:fs";
    const stat = readFileSync("/proc/self/stat", "utf8");
    console.log(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
    process.on("disconnect", () => process.exit());
    ${READY}`,
    { signal: stopping.signal, lines },
  );
  stopping.abort();
  await run.exited;
  expect(lines).toEqual([String(run.pid)]);
});

test("aborting the start ends the process too", async () => {
  const stopping = new AbortController();
  const starting = startProgram(`setInterval(() => {}, 1000); console.log("up")`, {
    signal: stopping.signal,
    lines: Object.assign([], {
      push() {
        stopping.abort();
        return 0;
      },
    }),
  });
  await expect(starting).rejects.toThrow();
  if (!stopping.signal.aborted) await once(stopping.signal, "abort");
});

test.each([
  ["is stopped", "", "SIGSTOP"],
  ["blocks its event loop", "setTimeout(() => { for (;;); }, 500);", null],
] as const)("kills a process that %s, and reports why", async (_, code, signal) => {
  const run = await startProgram(
    `${READY} setInterval(() => process.send({ type: "alive" }), 200); ${code}`,
    { limits: { silent: 3 } },
  );
  if (signal) process.kill(run.pid, signal);
  const exit = await run.exited;
  expect(exit.signal).toBe("SIGKILL");
  expect(lastWords(exit.lastLines)).toContain("did not respond for 3 s");
});

test("does not kill a process that sends heartbeats", async () => {
  const run = await startProgram(
    `${READY} setInterval(() => process.send({ type: "alive" }), 200);
    setTimeout(() => process.exit(7), 5_000);`,
    { limits: { silent: 3 } },
  );
  expect(await run.exited).toMatchObject({ code: 7 });
});

test("a slow start can continue while the process sends heartbeats", async () => {
  const run = await startProgram(
    `setInterval(() => process.send({ type: "alive" }), 200);
    setTimeout(() => { ${READY} }, 4_000); setTimeout(() => process.exit(7), 4_200);`,
    { limits: { silentAtStart: 2 } },
  );
  expect(await run.exited).toMatchObject({ code: 7 });
});

test("kills a process whose start blocks the event loop, and reports why", async () => {
  await expect(startProgram(`for (;;);`, { limits: { silentAtStart: 2 } })).rejects.toThrow(
    "did not respond for 2 s",
  );
});

test("kills a process whose start never finishes, despite heartbeats", async () => {
  await expect(
    startProgram(`setInterval(() => process.send({ type: "alive" }), 200);`, {
      limits: { start: 3 },
    }),
  ).rejects.toThrow("was not ready within 3 s");
});

test("a process allocates with jemalloc where it is installed", async () => {
  const lines: string[] = [];
  const run = await startProgram(
    `import { readFileSync } from "node:fs";
    console.log(readFileSync("/proc/self/maps", "utf8").includes("libjemalloc"));
    ${READY} process.disconnect();`,
    { lines },
  );
  await run.exited;
  expect(lines).toEqual([String("LD_PRELOAD" in ALLOCATOR_ENV)]);
});
