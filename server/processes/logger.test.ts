import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, expect, test } from "vitest";

const LINES = 1000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-logger-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A process with two loggers that each write one line, then run `next`. */
async function aProcess(next: string) {
  const file = join(folder, "main.mjs");
  await writeFile(
    file,
    `const { createLogger } = await import(${JSON.stringify(join(import.meta.dirname, "logger.ts"))});
    const loggers = [createLogger("one"), createLogger("two")];
    for (let i = 0; i < ${LINES}; i++) loggers[i % 2].info({ i }, "a line");
    ${next}`,
  );
  const child = fork(file, { stdio: ["ignore", "pipe", "ignore", "ipc"], cwd: process.cwd() });
  const numbers: unknown[] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on("line", (line) => numbers.push((JSON.parse(line) as { i: unknown }).i));
  return { child, numbers, lines };
}

const all = Array.from({ length: LINES }, (_, i) => i);

test.each([
  ["at its own end", "process.disconnect()"],
  ["by process.exit", "process.exit(3)"],
  ["by an uncaught error", 'throw new Error("out of the blue")'],
])("a process that ends %s has written every line, in order", async (_, next) => {
  const { child, numbers, lines } = await aProcess(next);
  await Promise.all([once(child, "exit"), once(lines, "close")]);
  expect(numbers).toEqual(all);
});

test("writes a line even if no further line follows", async () => {
  const { child, numbers, lines } = await aProcess("setInterval(() => {}, 1000)");
  while (numbers.length < LINES) await once(lines, "line");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(numbers).toEqual(all);
});

test("a process whose reader is gone still exits", async () => {
  const { child } = await aProcess(
    `process.on("message", () => {
      loggers[0].info("not read");
      process.exit(0);
    });`,
  );
  child.stdout!.destroy();
  const exited = once(child, "exit");
  child.send("end");
  expect(await exited).toEqual([0, null]);
});

test("reports the number of lines dropped for a stalled reader once it reads again", async () => {
  const { child, lines } = await aProcess(
    // Touching process.stdout makes Node set the pipe to non-blocking, as any other printing would.
    `void process.stdout;
    for (let i = 0; i < 6000; i++) loggers[0].info({ i }, "x".repeat(1000));
    process.on("message", () => {
      loggers[0].info("after");
      process.disconnect();
    });
    process.send("logged");`,
  );
  // Closing the line reader pauses the pipe.
  lines.close();
  await once(child, "message");
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdout!.resume();
  child.send("go on");
  await Promise.all([once(child, "exit"), once(child.stdout!, "close")]);
  const messages = output.split("\n").filter(Boolean);
  const reports = messages.filter((line) => /"\d+ log lines were dropped/.test(line));
  expect(reports).toHaveLength(1);
  const dropped = Number(/(\d+) log lines/.exec(reports[0]!)![1]);
  const whole = messages.filter((line) => line.startsWith("{") && line.endsWith("}")).length;
  expect(dropped).toBeGreaterThan(1_000);
  // A line cut in two by the drop counts as dropped.
  expect(whole - 1 + dropped).toBe(LINES + 6_000 + 1);
});
