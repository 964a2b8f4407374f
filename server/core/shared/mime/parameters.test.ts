import { expect, test } from "vitest";

import { isFileName, toFileName } from "./parameters.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", ".._.._etc_passwd"],
  [String.raw`C:\Users\Ann\report.pdf`, "C:_Users_Ann_report.pdf"],
  ["..", "__"],
  ["...", "___"],
  [".profile", ".profile"],
  [" a\r\n\tb\u2028c\0.txt ", "a b c .txt"],
  [" / ", "_"],
  ["\n", ""],
  ["Hello \ud83d.txt", "Hello \ufffd.txt"],
  [`${"x".repeat(300)}.docx`, `${"x".repeat(250)}.docx`],
  [`${"x".repeat(300)}. ${"y".repeat(9)}`, "x".repeat(255)],
])("stores the received file %j as %j", (given, name) => {
  expect(toFileName(given)).toBe(name);
  expect(isFileName(name)).toBe(true);
});
