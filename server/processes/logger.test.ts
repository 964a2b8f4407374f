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

/** A process with two loggers, which have written a line each in turn before it does what is `next`. */
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
  ["by an error that nobody caught", 'throw new Error("out of the blue")'],
])("a process that ends %s has written every line, in order", async (_, next) => {
  const { child, numbers, lines } = await aProcess(next);
  await Promise.all([once(child, "exit"), once(lines, "close")]);
  expect(numbers).toEqual(all);
});

test("a process that goes on writes what it logged, though no further line pushes it out", async () => {
  const { child, numbers, lines } = await aProcess("setInterval(() => {}, 1000)");
  while (numbers.length < LINES) await once(lines, "line");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(numbers).toEqual(all);
});

test("a process whose reader is gone ends all the same", async () => {
  const { child } = await aProcess(
    `process.on("message", () => {
      loggers[0].info("nobody reads this");
      process.exit(0);
    });`,
  );
  child.stdout!.destroy();
  const exited = once(child, "exit");
  child.send("end");
  expect(await exited).toEqual([0, null]);
});
