import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { Names, openMaildir, openMbox, type SavedMessage, toMbox } from "./mail-formats.ts";

const root = mkdtempSync(join(tmpdir(), "posthouse-formats-"));
afterAll(() => rmSync(root, { recursive: true }));

const internalDate = new Date("2026-03-07T08:09:10Z");
const aSaved = (content: string, flags: string[] = [], uid = 1): SavedMessage => ({
  uid,
  flags: new Set(flags),
  internalDate,
  content: Buffer.from(content, "latin1"),
});
const mboxOf = (content: string, flags: string[] = []) =>
  toMbox(aSaved(content, flags)).toString("latin1");

test("mbox keeps sender, time and flags, and quotes lines that look like a new message", () => {
  const content =
    "Return-Path: <bob@x.test>\r\nStatus: old\r\n folded\r\nSubject: Hi\r\n\r\nFrom here\r\n>From there\r\nFrom\r\n\xff";
  expect(mboxOf(content, ["\\Seen", "\\Answered", "\\Flagged", "Work", "\\Recent"])).toBe(
    "From bob@x.test Sat Mar  7 08:09:10 2026\n" +
      "Return-Path: <bob@x.test>\nSubject: Hi\nStatus: RO\nX-Status: AF\nX-Keywords: Work\n\n" +
      ">From here\n>>From there\nFrom\n\xff\n\n",
  );
});

test.each([
  ["no header", "\r\nText\r\n", "Status: O\n\nText\n\n"],
  ["no text", "Subject: Hi\r\n", "Subject: Hi\nStatus: O\n\n\n"],
  ["nothing at all", "", "Status: O\n\n\n"],
  ["lone carriage returns", "A: b\r\n\r\nx\ry\n", "A: b\nStatus: O\n\nx\ry\n\n"],
])("mbox stores a message with %s", (_, content, expected) => {
  expect(mboxOf(content)).toBe(`From MAILER-DAEMON Sat Mar  7 08:09:10 2026\n${expected}`);
});

test("Maildir keeps times, flags and keywords, and folders that have the same name", async () => {
  const names = new Names();
  const inbox = await openMaildir(root, ["INBOX"], names);
  await inbox.write(aSaved("A: b\r\n\r\nText\r\n", ["\\Seen", "Work", "$Forwarded"]));
  await inbox.write(aSaved("A: b\r\n\r\nText\r\n", ["Work", "Later", "\\Draft", "\\Recent"], 2));
  await inbox.finish();
  expect(readdirSync(join(root, "cur")).toSorted()).toEqual([
    "1772870950.U1.posthouse,S=11:2,PSab",
    "1772870950.U2.posthouse,S=11:2,Dac",
  ]);
  expect(readFileSync(join(root, "dovecot-keywords"), "utf8")).toBe(
    "0 Work\n1 $Forwarded\n2 Later\n",
  );
  const file = join(root, "cur/1772870950.U1.posthouse,S=11:2,PSab");
  expect(readFileSync(file, "utf8")).toBe("A: b\n\nText\n");
  expect(statSync(file).mtime).toEqual(internalDate);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const paths = [
    ["Work"],
    ["work"],
    ["Work", "v1.0"],
    ["Zoë & co"],
    ["INBOX", "x"],
    ["a/..", ".."],
  ];
  const folders = await Promise.all(paths.map((path) => openMaildir(root, path, names)));
  expect(folders.map(({ path }) => path)).toEqual([
    ".Work",
    ".work_2",
    ".Work.v1_0",
    ".Zo&AOs- &- co",
    ".INBOX.x",
    ".a___.__",
  ]);
  // More keywords than letters.
  for (let at = 0; at < 30; at++) await folders[0]!.write(aSaved("", [`k${at}`], at));
  await folders[0]!.finish();
  expect(readdirSync(join(root, ".Work/cur")).filter((name) => name.endsWith(",")).length).toBe(4);
});

test("mbox files are named by their folders, and never leave the mailbox's folder", async () => {
  const names = new Names();
  const paths = [
    ["INBOX"],
    ["Work"],
    ["Work", "v1.0"],
    ["Work.mbox", "x"],
    ["..", "..", "etc"],
    ["x".repeat(300)],
  ];
  const named: string[] = [];
  for (const path of paths) {
    const folder = await openMbox(join(root, "mbox"), path, names);
    await folder.finish();
    named.push(folder.path);
  }
  expect(named).toEqual([
    "INBOX.mbox",
    "Work.mbox",
    "Work/v1.0.mbox",
    "Work_mbox/x.mbox",
    "_./_./etc.mbox",
    `${"x".repeat(200)}.mbox`,
  ]);
});
