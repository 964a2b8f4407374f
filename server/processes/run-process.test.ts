import { fork } from "node:child_process";
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

/** A process whose stopping leaves the file `stopped`. */
async function aProcess(afterStart: string) {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  const stopped = join(folder, "stopped");
  await writeFile(
    file,
    `import { writeFileSync } from "node:fs";
    const { runProcess } = await import(${JSON.stringify(runProcess)});
    await runProcess("test", async () => async () => writeFileSync(${JSON.stringify(stopped)}, "yes"));
    setInterval(() => {}, 1000);
    ${afterStart}`,
  );
  const child = fork(file, { stdio: ["ignore", "pipe", "ignore", "ipc"], cwd: process.cwd() });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, stopped: await readFile(stopped, "utf8").catch(() => null) };
}

test("an error that nobody caught is logged, and what runs may finish before the process ends", async () => {
  const { code, output, stopped } = await aProcess(
    `setImmediate(() => { throw new Error("out of the blue"); });`,
  );
  expect(code).toBe(1);
  expect(output).toContain("out of the blue");
  expect(stopped).toBe("yes");
});

test("SIGTERM stops it, and it ends as asked", async () => {
  const { code, stopped } = await aProcess(`process.kill(process.pid, "SIGTERM");`);
  expect(code).toBe(0);
  expect(stopped).toBe("yes");
});

test("a process that can't start says why and exits, even with open handles", async () => {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  await writeFile(
    file,
    `const { runProcess } = await import(${JSON.stringify(runProcess)});
    setInterval(() => {}, 1000);
    await runProcess("test", () => Promise.reject(new Error("no key")));`,
  );
  const child = fork(file, { stdio: ["ignore", "ignore", "ignore", "ipc"], cwd: process.cwd() });
  const ended = once(child, "exit");
  expect(await once(child, "message")).toContainEqual({ type: "failed", message: "no key" });
  expect(await ended).toEqual([1, null]);
});

test("sends heartbeats to its parent while its event loop runs", async () => {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  await writeFile(
    file,
    `const { runProcess } = await import(${JSON.stringify(runProcess)});
    await runProcess("test", async () => async () => {});`,
  );
  const child = fork(file, { stdio: ["ignore", "ignore", "ignore", "ipc"], cwd: process.cwd() });
  const types: string[] = [];
  child.on("message", ({ type }: { type: string }) => types.push(type));
  while (types.length < 3) await once(child, "message");
  child.kill("SIGKILL");
  expect(types).toEqual(["ready", "alive", "alive"]);
});

test("a process whose parent is gone stops without an error", async () => {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  await writeFile(
    file,
    `import { setTimeout as sleep } from "node:timers/promises";
    const { runProcess } = await import(${JSON.stringify(runProcess)});
    await runProcess("test", async () => () => sleep(4_500));`,
  );
  const child = fork(file, { stdio: ["ignore", "pipe", "ignore", "ipc"], cwd: process.cwd() });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = Promise.all([once(child, "exit"), once(child.stdout!, "end")]);
  await once(child, "message");
  child.disconnect();
  expect((await ended)[0]).toEqual([0, null]);
  expect(output).toContain("the parent process is gone");
  expect(output).not.toContain("unexpected error");
});

test("sends heartbeats to its parent while it starts", async () => {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  await writeFile(
    file,
    `const { runProcess } = await import(${JSON.stringify(runProcess)});
    await runProcess("test", async () => {
      await new Promise((resolve) => setTimeout(resolve, 4_500));
      return async () => {};
    });`,
  );
  const child = fork(file, { stdio: ["ignore", "ignore", "ignore", "ipc"], cwd: process.cwd() });
  const types: string[] = [];
  child.on("message", ({ type }: { type: string }) => types.push(type));
  while (types.length < 3) await once(child, "message");
  child.kill("SIGKILL");
  expect(types).toEqual(["alive", "alive", "ready"]);
});

test("a process whose parent exits while it starts stops again", async () => {
  const file = join(folder, "main.mjs");
  const runProcess = join(import.meta.dirname, "run-process.ts");
  const stopped = join(folder, "stopped");
  await writeFile(
    file,
    `import { writeFileSync } from "node:fs";
    const { runProcess } = await import(${JSON.stringify(runProcess)});
    process.send({ type: "alive" });
    await runProcess("test", async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      setInterval(() => {}, 1000);
      return async () => writeFileSync(${JSON.stringify(stopped)}, "yes");
    });`,
  );
  const child = fork(file, { stdio: ["ignore", "ignore", "ignore", "ipc"], cwd: process.cwd() });
  await once(child, "message");
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await readFile(stopped, "utf8")).toBe("yes");
});
