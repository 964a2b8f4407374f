import { isAscii } from "node:buffer";

import * as fc from "fast-check";
import { type ParsedMail, simpleParser } from "mailparser";
import { expect, test } from "vitest";

import { toSevenBit, withShortLines } from "./seven-bit.ts";

const lines = (...all: string[]) => Buffer.from(all.join("\r\n"));

type Facts = Pick<ParsedMail, "subject" | "text" | "html"> & { people: unknown; files: unknown };

async function read(message: Buffer): Promise<Facts> {
  const mail = await simpleParser(message, { skipTextToHtml: true, skipHtmlToText: true });
  const { from, to, cc, subject, text, html, attachments } = mail;
  return {
    subject,
    text,
    html,
    people: [from, to, cc].flat().map((field) => field && field.value),
    files: await Promise.all(
      attachments.map(async ({ filename, contentType, content }) => ({
        filename,
        contentType,
        content: contentType === "message/rfc822" ? await read(content) : content.toString("hex"),
      })),
    ),
  };
}

const MESSAGES: [string, Buffer][] = [
  [
    "a script's: UTF-8 everywhere, and no MIME",
    lines(
      'From: "Jürgen, Müller" <post@shop.example>',
      "To: Örs <a@b.example>, c@d.example",
      "Cc: =?utf-8?q?=C3=84nne?= ß <e@f.example>",
      "Subject: Grüße =?utf-8?q?=C3=9F?=",
      "X-Note: Größe",
      "",
      "Schöne Grüße",
      "",
    ),
  ],
  [
    "parts in several encodings, and files with names in UTF-8",
    Buffer.concat([
      lines(
        "From: a@b.example",
        "MIME-Version: 1.0",
        "Content-Transfer-Encoding: 8bit",
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: text/html; charset=iso-8859-1; x=y",
        "Content-Transfer-Encoding: 8bit",
        "",
        "",
      ),
      Buffer.from("<p>Gr\xfc\xdfe</p>", "latin1"),
      lines(
        "",
        "--b",
        'Content-Type: application/pdf; name="Größe.pdf"',
        'Content-Disposition: attachment; filename="Größe 😀.pdf"; size=3',
        "Content-Transfer-Encoding: binary",
        "",
        "ÄÖÜäöüß",
        "--b--",
        "",
      ),
    ]),
  ],
  [
    "a message enclosed",
    lines(
      "From: a@b.example",
      "MIME-Version: 1.0",
      "Content-Type: message/rfc822",
      "Content-Transfer-Encoding: 8bit",
      "",
      "Subject: Grüße",
      "",
      "Grüße",
    ),
  ],
];

test.each(MESSAGES)("keeps the content in ASCII: %s", async (_, message) => {
  const converted = toSevenBit(message)!;
  expect(isAscii(converted)).toBe(true);
  expect(converted.toString()).not.toMatch(/Transfer-Encoding: (8bit|binary)/);
  expect(await read(converted)).toEqual(await read(message));
});

test.each<[string, string[]]>([
  ["a non-ASCII address", ["To: Jürgen <jürgen@b.example>", "", "x"]],
  ["a bare non-ASCII address", ["To: a@b.example, jürgen@b.example", "", "x"]],
  ["a non-ASCII id", ["Message-ID: <ü@b>", "", "x"]],
  [
    "a signed part",
    ["Content-Type: multipart/signed; boundary=b", "", "--b", "", "ü", "--b", "", "", "--b--"],
  ],
  ["an unknown encoding", ["Content-Transfer-Encoding: x-uuencode", "", "ü"]],
])("%s can't be converted", (_, message) => {
  expect(toSevenBit(lines(...message))).toBeNull();
});

test("keeps the octets of an ASCII message", () => {
  const message = lines("Subject: x", "", "a=b ", ".");
  expect(toSevenBit(message)).toBe(message);
  expect(withShortLines(message)).toBe(message);
});

test("encodes lines over 998 octets in bodies and folds them in headers", async () => {
  const html = `<p>${"word ".repeat(400)}</p>`;
  const to = Array.from({ length: 60 }, (_, i) => `recipient${i}@there.example`).join(", ");
  const message = lines(
    `To: ${to}`,
    "Subject: x",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/html",
    "",
    html,
    "--b",
    "",
    "short ü",
    "--b--",
  );
  const short = withShortLines(message);
  for (const line of short.toString("latin1").split("\r\n"))
    expect(line.length).toBeLessThanOrEqual(998);
  expect(short.toString()).toContain("--b\r\n\r\nshort ü\r\n--b--");
  expect(await read(short)).toEqual(await read(message));
});

test("preserves any text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 3_000 }),
      async (given, body) => {
        const name = given.replace(/[\p{C}\s"\\@<>()[\],;:=?]+/gu, "").normalize() || "x";
        const text = body.replace(/[\p{C}\p{Z}]+/gu, " ");
        const message = lines(
          `From: "${name} ü" <a@b.example>`,
          `Subject: ü ${name}`,
          "MIME-Version: 1.0",
          "Content-Type: text/plain; charset=utf-8",
          "",
          `ü${text.trim()}`,
        );
        const converted = toSevenBit(message)!;
        const mail = await read(converted);
        expect(mail.subject).toBe(`ü ${name}`);
        expect(mail.people).toContainEqual([{ address: "a@b.example", name: `${name} ü` }]);
        expect(mail.text?.trim()).toBe(`ü${text.trim()}`);
      },
    ),
    { numRuns: 100 },
  );
});
