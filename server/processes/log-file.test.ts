import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { openLogFile } from "./log-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("lines are appended, to what an earlier process wrote as well", () => {
  openLogFile(join(folder, "logs/web.log")).append("one");
  openLogFile(join(folder, "logs/web.log")).append("two");
  expect(readFileSync(join(folder, "logs/web.log"), "utf8")).toBe("one\ntwo\n");
});

test("no file grows beyond 10 MB, and three old ones are kept", () => {
  const log = openLogFile(join(folder, "web.log"));
  for (let megabyte = 0; megabyte < 55; megabyte++) log.append(String(megabyte).padEnd(1_048_576));
  expect(readdirSync(folder).sort()).toEqual(["web.log", "web.log.1", "web.log.2", "web.log.3"]);
  for (const name of readdirSync(folder))
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(10 * 1_048_576);
  expect(readFileSync(join(folder, "web.log"), "utf8").trimEnd()).toMatch(/54$/);
});
