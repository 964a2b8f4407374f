import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-run-process-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/**
 * Starts a process with this code, which may use `runProcess` and `stop`; `stop` leaves a file behind.
 */
async function aProcess(code: string) {
  const file = join(folder, "main.mjs");
  const stopped = join(folder, "stopped");
  const runProcess = JSON.stringify(join(import.meta.dirname, "run-process.ts"));
  await writeFile(
    file,
    `import { writeFileSync } from "node:fs";
    const { runProcess } = await import(${runProcess});
    const stop = async () => writeFileSync(${JSON.stringify(stopped)}, "yes");
    ${code}`,
  );
  const child = fork(file, { stdio: ["ignore", "pipe", "ignore", "ipc"], cwd: process.cwd() });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    child,
    /** Resolves when the process has ended. */
    ended: async () => {
      const [[code]] = (await Promise.all([once(child, "exit"), once(child.stdout!, "end")])) as [
        [number | null],
        unknown[],
      ];
      return { code, output, stopped: await readFile(stopped, "utf8").catch(() => null) };
    },
  };
}

const RUNNING = "await runProcess('test', async () => stop); setInterval(() => {}, 1000);";

test("logs an uncaught error and stops before it exits", async () => {
  const { ended } = await aProcess(
    `${RUNNING} setImmediate(() => { throw new Error("out of the blue"); });`,
  );
  const { code, output, stopped } = await ended();
  expect(code).toBe(1);
  expect(output).toContain("out of the blue");
  expect(stopped).toBe("yes");
});

test("stops on SIGTERM and exits with 0", async () => {
  const { ended } = await aProcess(`${RUNNING} process.kill(process.pid, "SIGTERM");`);
  expect(await ended()).toMatchObject({ code: 0, stopped: "yes" });
});

test("reports why it can't start and exits, even with open handles", async () => {
  const { child, ended } = await aProcess(
    `setInterval(() => {}, 1000);
    await runProcess("test", () => Promise.reject(new Error("no key")));`,
  );
  const end = ended();
  expect(await once(child, "message")).toContainEqual({ type: "failed", message: "no key" });
  expect(await end).toMatchObject({ code: 1 });
});

test("sends heartbeats to its parent while its event loop runs", async () => {
  const { child } = await aProcess(`await runProcess("test", async () => async () => {});`);
  expect(await firstMessages(child, 2)).toEqual(["ready", "alive"]);
});

test("sends heartbeats to its parent while it starts", async () => {
  const { child } = await aProcess(
    `await runProcess("test", async () => {
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      return async () => {};
    });`,
  );
  expect(await firstMessages(child, 2)).toEqual(["alive", "ready"]);
});

test("stops without an error when its parent is gone", async () => {
  const { child, ended } = await aProcess(
    `await runProcess("test", async () => () => new Promise((resolve) => setTimeout(resolve, 4_500)));`,
  );
  const end = ended();
  await once(child, "message");
  child.disconnect();
  const { code, output } = await end;
  expect(code).toBe(0);
  expect(output).toContain("the parent process is gone");
  expect(output).not.toContain("unexpected error");
});

test("stops again when its parent exits while it starts", async () => {
  const { child, ended } = await aProcess(
    `process.send({ type: "alive" });
    await runProcess("test", async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      setInterval(() => {}, 1000);
      return stop;
    });`,
  );
  const end = ended();
  await once(child, "message");
  child.disconnect();
  expect(await end).toMatchObject({ code: 0, stopped: "yes" });
});

/** The types of the first messages to the parent; the process is killed after them. */
async function firstMessages(child: ChildProcess, count: number): Promise<string[]> {
  const types: string[] = [];
  child.on("message", ({ type }: { type: string }) => types.push(type));
  while (types.length < count) await once(child, "message");
  child.kill("SIGKILL");
  return types;
}
