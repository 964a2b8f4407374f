import { describe, expect, test } from "vitest";

import { quotedPrintable } from "./transfer-encoding.ts";

const encoded = (text: string) => quotedPrintable(Buffer.from(text)).toString("latin1");

describe("quotedPrintable", () => {
  test.each([
    ["what is beyond ASCII", "é=\u007f\u0000", "=C3=A9=3D=7F=00"],
    ["white space at a line end only", "a \r\n b\t\r\n ", "a=20\r\n b=09\r\n=20"],
    ["a dot that begins a line", ".\r\na.b\r\n..", "=2E\r\na.b\r\n=2E."],
    ["From that begins a line", "From a\r\nFrom\r\nFar From ", "=46rom a\r\nFrom\r\nFar From=20"],
    ["CR and LF that are no line end", "a\rb\nc", "a=0Db=0Ac"],
  ])("encodes %s", (_, text, expected) => {
    expect(encoded(text)).toBe(expected);
  });

  test.each(["x", "=", "é", ".", "F", "From ", "ab.", " "])(
    "breaks an endless line of %j within 76 characters without loss",
    (piece) => {
      for (let count = 70; count < 80; count++) {
        const text = `${piece.repeat(count)}x`;
        const lines = encoded(text).split("\r\n");

        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
        expect(lines.filter((line) => /^(?:\.|From )|[ \t]$/.test(line))).toEqual([]);
        expect(decoded(lines)).toBe(text);
      }
    },
  );
});

function decoded(lines: string[]): string {
  const bytes = lines
    .map((line) => line.replace(/=$/, ""))
    .join("")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
