import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { aSmallDisk, testWithSmallDisk } from "#server/testing/a-small-disk.ts";

import { openLogFile } from "./log-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("appends lines, also to an earlier process's file", () => {
  openLogFile(join(folder, "logs/web.log")).append("one");
  openLogFile(join(folder, "logs/web.log")).append("two");
  expect(readFileSync(join(folder, "logs/web.log"), "utf8")).toBe("one\ntwo\n");
});

test("limits files to 10 MB and keeps three old ones", () => {
  const log = openLogFile(join(folder, "web.log"));
  for (let megabyte = 0; megabyte < 55; megabyte++) log.append(String(megabyte).padEnd(1_048_576));
  expect(readdirSync(folder).sort()).toEqual(["web.log", "web.log.1", "web.log.2", "web.log.3"]);
  for (const name of readdirSync(folder))
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(10 * 1_048_576);
  expect(readFileSync(join(folder, "web.log"), "utf8").trimEnd()).toMatch(/54$/);
});

const entries = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { name: string; msg: string });

test("creates a removed log folder again without losing lines", () => {
  const file = join(folder, "logs/web.log");
  const log = openLogFile(file);
  log.append("one");
  rmSync(join(folder, "logs"), { recursive: true });
  log.append("two");
  expect(readFileSync(file, "utf8")).toBe("two\n");
});

test("drops lines that can't be written, and reports their number once writing works again", () => {
  const file = join(folder, "logs/web.log");
  writeFileSync(join(folder, "logs"), "a file where the folder should be");
  const onProblem = vi.fn();
  const log = openLogFile(file, onProblem);
  for (const line of ["one", "two", "three"]) log.append(line);
  expect(onProblem.mock.calls).toEqual([[expect.stringContaining("ENOTDIR")]]);

  rmSync(join(folder, "logs"));
  log.append("four");
  log.append("five");
  expect(entries(file)).toMatchObject([
    { name: "web", msg: expect.stringMatching(/^3 log lines/) as string },
  ]);
  expect(readFileSync(file, "utf8").split("\n").slice(-3)).toEqual(["four", "five", ""]);
});

test("lines aren't written through a symbolic link", () => {
  const [file, target] = [join(folder, "web.log"), join(folder, "target")];
  symlinkSync(target, file);
  const onProblem = vi.fn();
  openLogFile(file, onProblem).append("one");
  expect(onProblem.mock.calls).toEqual([[expect.stringContaining(`${file} is a symbolic link`)]]);
  expect(existsSync(target)).toBe(false);
});

testWithSmallDisk(
  "a full disk drops lines instead of failing, and later lines start on a new line",
  async () => {
    await using disk = await aSmallDisk(folder, "1m");
    mkdirSync(join(disk.path, "logs"));
    const file = join(disk.path, "logs/web.log");
    const log = openLogFile(file);
    log.append("before");
    const filler = disk.fill();
    for (let i = 0; i < 100; i++) log.append("x".repeat(1_000));
    filler.free();
    log.append("after");

    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines[0]).toBe("before");
    expect(lines.at(-2)).toBe("after");
    const kept = lines.filter((line) => line === "x".repeat(1_000)).length;
    expect(entries(file)).toMatchObject([
      { msg: expect.stringContaining(`${100 - kept} log lines`) as string },
    ]);
    expect(kept).toBeLessThan(10);
  },
);
