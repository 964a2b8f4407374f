import { expect, test } from "vitest";

import { editParts, mediaType, parameter, type Part, withFields } from "./edit-parts.ts";
import { decodedBody } from "./transfer-encoding.ts";

const lines = (...all: string[]) => Buffer.from(all.join("\r\n"), "latin1");
const parts = (message: Buffer) => {
  const seen: string[] = [];
  editParts(message, (part) => {
    seen.push(`${mediaType(part)}: ${part.body.toString("latin1").replaceAll("\r\n", "|")}`);
    return part;
  });
  return seen;
};

const NESTED = lines(
  "Content-Type: MULTIPART/Mixed;",
  '\tboundary="a \\"b"',
  "",
  "preamble",
  '--a "b  ',
  "Content-Type: multipart/alternative; boundary=c",
  "",
  "--c",
  "",
  "one",
  "--c2",
  "--c",
  "Content-Type: text/html; charset=utf-8",
  "",
  "two",
  "",
  "--c--",
  "",
  '--a "b',
  "Content-Type: message/rfc822",
  "",
  "Subject: x",
  "",
  '--a "b--',
  "epilogue",
  "",
);

test("visits parts before their multipart, and treats other multiparts' delimiters as text", () => {
  expect(parts(NESTED).slice(0, 3)).toEqual([
    "text/plain: one|--c2",
    "text/html: two|",
    expect.stringMatching(/^multipart\/alternative: --c\|\|one/),
  ]);
  expect(parts(NESTED)[3]).toBe("message/rfc822: Subject: x|");
  expect(parts(NESTED)).toHaveLength(5);
});

test("keeps the octets of an unchanged message", () => {
  expect(editParts(NESTED, (part) => part)).toBe(NESTED);
});

test("changes only the edited part", () => {
  const edited = editParts(NESTED, (part) =>
    mediaType(part) === "text/html" ? { ...part, body: Buffer.from("new") } : part,
  );
  expect(edited.toString()).toBe(NESTED.toString().replace("two\r\n", "new"));
});

test.each<[string, Buffer, string[]]>([
  ["no header", lines("", "x"), ["text/plain: x"]],
  ["no body", lines("Subject: x", ""), ["text/plain: "]],
  ["no boundary", lines("Content-Type: multipart/mixed", "", "x"), ["multipart/mixed: x"]],
  [
    "no last delimiter",
    lines("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "x"),
    ["text/plain: x", "multipart/mixed: --b||x"],
  ],
  [
    "two delimiters in a row",
    lines("Content-Type: multipart/mixed; boundary=b", "", "--b", "--b--"),
    ["text/plain: ", "multipart/mixed: --b|--b--"],
  ],
  [
    "a signature",
    lines("Content-Type: multipart/signed; boundary=b", "", "--b", "", "x", "--b--"),
    [],
  ],
])("reads a message with %s", (_, message, expected) => {
  expect(parts(message)).toEqual(expected);
});

test("stops parsing deep nesting without cost", () => {
  const deep = Array.from({ length: 3_000 }, (_, i) =>
    ["Content-Type: multipart/mixed; boundary=b" + String(i), "", `--b${i}`].join("\r\n"),
  );
  expect(parts(lines(...deep, "", "x")).length).toBeLessThan(30);
});

const part = (header: string, body: string): Part => ({
  header: Buffer.from(`${header}\r\n`),
  body: Buffer.from(body, "latin1"),
});

test.each([
  ["base64", "R3L8\r\n3w==", "Gr\xfc\xdf"],
  ["Quoted-Printable", "a=\r\nb=FC \t\r\nc=3D =\r\n", "ab\xfc\r\nc= "],
  ["8bit", "\xfc\r\n", "\xfc\r\n"],
  ["x-uuencode", "x", undefined],
])("decodes %s", (encoding, body, decoded) => {
  const found = decodedBody(part(`Content-Transfer-Encoding: ${encoding}`, body));
  expect(found?.toString("latin1")).toBe(decoded);
});

test("reads parameters with and without quotes", () => {
  const type = part('Content-Type: text/plain; name="a; charset=x"; CharSet = utf-8', "");
  expect([parameter(type, "charset"), parameter(type, "name"), parameter(type, "format")]).toEqual([
    "utf-8",
    "a; charset=x",
    null,
  ]);
});

test("replaces all fields of a name, in any case", () => {
  const header = Buffer.from("A: 1\r\nb: 2\r\n 3\r\nC: 4\r\nB: 5\r\n");
  expect(withFields(header, { B: "new" }).toString()).toBe("A: 1\r\nC: 4\r\nB: new\r\n");
});
