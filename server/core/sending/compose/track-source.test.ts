import { expect, test } from "vitest";

import { trackSource } from "./track-source.ts";

const HTML = '<p><a href="https://shop.example/">Shop</a></p>';
const tracking = { emailId: "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11", baseUrl: "https://t.example" };
const track = (source: string) =>
  trackSource(Buffer.from(source), { ...tracking, opens: true, clicks: true }).toString();

const message = (...parts: string[][]) =>
  [
    "From: a@b.example",
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    ...parts.flatMap((fields) => ["--x", ...fields, "", HTML]),
    "--x--",
    "",
  ].join("\r\n");

const part = ["Content-Type: text/html; charset=utf-8"];
const count = (text: string, piece: string) => text.split(piece).length - 1;

test.each([
  ["inline", ["Content-Type: text/html", 'Content-Disposition: inline; filename="inline.html"']],
  [
    "inline, encoded",
    ["Content-Type: text/html", "Content-Disposition: inline; filename*=utf-8''a.html"],
  ],
  ["named", ['Content-Type: text/html;\r\n name="report.html"']],
  ["named, in sections", ["Content-Type: text/html; name*0=report; name*1=.html"]],
  ["attached", ["Content-Type: text/html", "Content-Disposition: attachment"]],
])("leaves an HTML file alone: %s", (_, file) => {
  const tracked = track(message(part, file));
  expect(tracked).toContain(["--x", ...file, "", HTML, "--x--", ""].join("\r\n"));
  expect([count(tracked, "/t/c/"), count(tracked, "/t/o/")]).toEqual([1, 1]);
});

test("tracks the links of all parts of the body, and has one image", () => {
  const tracked = track(message(part, [...part, "Content-Disposition: inline"], part));
  expect([count(tracked, "/t/c/"), count(tracked, "/t/o/")]).toEqual([3, 1]);
  expect(tracked.indexOf("/t/o/")).toBeLessThan(tracked.lastIndexOf("/t/c/"));
});

test("tracks a message that is one HTML part, and keeps its other parameters", () => {
  const tracked = track(
    `From: a@b.example\r\nContent-Type: text/html; name="a; b.html";\r\n\tCharset="iso-8859-1"\r\n\r\n${HTML}`,
  );
  expect(tracked).toContain('Content-Type: text/html; charset=utf-8;\r\n name="a; b.html"\r\n');
  expect([count(tracked, "/t/c/"), count(tracked, "/t/o/")]).toEqual([1, 1]);
});

test("doesn't track the link in List-Unsubscribe, however its host is written", () => {
  const link = "https://b\u00fccher.example/out";
  const tracked = track(
    `List-Unsubscribe: <https://xn--bcher-kva.example/out>\r\nContent-Type: text/html\r\n\r\n<a href="${link}">x</a>`,
  );
  expect(count(tracked, "/t/c/")).toBe(0);
});
