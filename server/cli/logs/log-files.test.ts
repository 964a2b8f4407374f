import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { formatEntry, formatJson, parseLogLine } from "./log-entry.ts";
import { LogFiles } from "./log-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-logs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const line = (time: number, msg: string, more = {}) =>
  `${JSON.stringify({ name: "web", level: 30, time, msg, ...more })}\n`;
const write = (name: string, ...lines: string[]) => appendFile(join(folder, name), lines.join(""));
const all = () => true;
const messages = (entries: { msg: string }[]) => entries.map(({ msg }) => msg);

test("reads all logs with their rotated files in the order of their times", async () => {
  await write("web.log.1", line(1, "a"), line(3, "c"));
  await write("web.log", line(5, "e"));
  await write("worker.log", line(2, "b"), line(4, "d"));
  const read = (limit: number) => new LogFiles(folder, null).readExisting(all, limit);
  expect(messages(await read(10))).toEqual(["a", "b", "c", "d", "e"]);
  expect(messages(await read(2))).toEqual(["d", "e"]);
  const worker = new LogFiles(folder, ["worker"]);
  expect(messages(await worker.readExisting(all, 10))).toEqual(["b", "d"]);
});

test("shows only matching lines, and the newest of them", async () => {
  await write("web.log", ...Array.from({ length: 50 }, (_, at) => line(at, `m${at}`)));
  const files = new LogFiles(folder, null);
  const matches = (text: string) => /"m\d?[05]"/.test(text);
  expect(messages(await files.readExisting(matches, 3))).toEqual(["m35", "m40", "m45"]);
});

test("follows added lines, also in logs that appear later", async () => {
  await write("web.log", line(1, "old"));
  const files = new LogFiles(folder, null);
  await files.readExisting(all, 10);
  expect(await files.readAdded(all)).toEqual([]);
  const half = line(2, "new");
  await write("web.log", half.slice(0, 9));
  expect(await files.readAdded(all)).toEqual([]);
  await write("web.log", half.slice(9));
  await write("mail.log", line(3, "first"));
  expect(messages(await files.readAdded(all))).toEqual(["new", "first"]);
  expect(await files.readAdded(all)).toEqual([]);
});

test("follows across rotation without losing a line", async () => {
  await write("web.log", line(1, "old"));
  const files = new LogFiles(folder, null);
  await files.readExisting(all, 10);
  await write("web.log", line(2, "before"));
  await rename(join(folder, "web.log"), join(folder, "web.log.1"));
  await write("web.log", line(3, "after"));
  expect(messages(await files.readAdded(all))).toEqual(["before", "after"]);
  expect(await files.readAdded(all)).toEqual([]);
});

test("skips what isn't a log line", async () => {
  await writeFile(join(folder, "web.log"), `garbage\n{"half":\n[]\n${line(1, "ok")}`);
  const files = new LogFiles(folder, null);
  expect(messages(await files.readExisting(all, 10))).toEqual(["ok"]);
});

test("an entry is readable on a terminal, and as it was written as JSON", () => {
  const text = line(Date.UTC(2026, 10, 23, 9, 0, 1), "request failed", {
    ...{ level: 50, requestId: "r-1", err: { message: "no such table", stack: "at x" } },
  });
  const entry = parseLogLine(text, "web")!;
  expect(formatEntry(entry)).toMatch(
    /2026-11-2\d \d\d:\d\d:01\.000 web {8}request failed: no such table requestId=r-1/,
  );
  expect(formatEntry(entry)).not.toContain("at x");
  expect(JSON.parse(formatJson(entry))).toEqual(JSON.parse(text));
});

test("an entry has no control characters on a terminal", () => {
  const fields = { helo: "\u001b]0;title\u0007", err: { message: "one\ntwo\u009b2J" } };
  const shown = formatEntry(parseLogLine(line(1, "a\rb", fields), "mail")!);
  expect(shown).toContain("a b: one two 2J helo= ]0;title ");
});
