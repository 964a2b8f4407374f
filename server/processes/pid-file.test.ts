import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { holderOf, takePidFile } from "./pid-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-pid-"));
  file = join(folder, "posthouse.pid");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a lock is held by one process until it is given back", () => {
  const release = takePidFile(file);
  expect(takePidFile(file)).toEqual({ heldBy: process.pid });
  expect(holderOf(file)).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(["posthouse.pid"]);
  if (typeof release !== "function") throw new Error("not taken");
  release();
  expect(holderOf(file)).toBeNull();
  expect(takePidFile(file)).toBeTypeOf("function");
});

test("a lock of a process that is gone counts for nothing", async () => {
  const child = spawn("sleep", ["60"]);
  const stat = readFileSync(`/proc/${child.pid!}/stat`, "utf8");
  const startedAtTicks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  writeFileSync(file, JSON.stringify({ pid: child.pid, startedAtTicks }));
  expect(takePidFile(file)).toEqual({ heldBy: child.pid });

  child.kill("SIGKILL");
  await once(child, "exit");
  expect(takePidFile(file)).toBeTypeOf("function");
});

test("a lock whose pid belongs to another process by now counts for nothing", () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, startedAtTicks: "1" }));
  expect(takePidFile(file)).toBeTypeOf("function");
});

test("a lock cut short by a crash counts for nothing", () => {
  writeFileSync(file, '{"pid":');
  expect(takePidFile(file)).toBeTypeOf("function");
});
