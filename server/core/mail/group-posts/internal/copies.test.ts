import fc from "fast-check";
import { dkimVerify } from "mailauth";
import { describe, expect, test } from "vitest";

import { decodeWords } from "#server/core/shared/mime/encoded-words.ts";
import { fieldValue, headerEnd, headerFields } from "#server/core/shared/mime/header-fields.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { KEY_RECORD, signed } from "#server/testing/signed-mail.ts";

import { type CopyOf, listFields, writeCopy } from "./copies.ts";

const list = { address: "team@shop.example", name: "" };

const copy = (message: string, given: Partial<CopyOf> = {}) =>
  writeCopy(new Message(Buffer.from(message, "latin1")), {
    list,
    isRepliedToGroup: false,
    earlier: null,
    ...given,
  }).raw.toString("latin1");

const valuesOf = (message: string, name: string) => {
  const bytes = Buffer.from(message, "latin1");
  return headerFields(bytes)
    .filter((field) => field.name === name.toLowerCase())
    .map((field) => fieldValue(bytes, field));
};

const MESSAGE = "Received: from a\r\nFrom: ann@x.example\r\nReply-To: b@x.example\r\n\r\nHi\r\n";

const OURS =
  "Delivered-To: team@shop.example\r\n" +
  "List-Id: <team.shop.example>\r\n" +
  "List-Post: <mailto:team@shop.example>\r\n" +
  "List-Unsubscribe: <mailto:postmaster@shop.example?subject=unsubscribe%20team%40shop.example>\r\n" +
  "Precedence: list\r\n";

test("prepends the list fields and leaves everything else unchanged", () => {
  expect(copy(MESSAGE)).toBe(OURS + MESSAGE);
});

test("leaves the body unchanged", () => {
  const body = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256)).toString("latin1");
  expect(copy(MESSAGE + body)).toBe(OURS + MESSAGE + body);
});

test("replaces Reply-To only if replies go to the group", () => {
  expect(copy(MESSAGE, { isRepliedToGroup: true })).toBe(
    `${OURS}Reply-To: team@shop.example\r\n${MESSAGE.replace("Reply-To: b@x.example\r\n", "")}`,
  );
});

test("handles a message without header or body", () => {
  expect(copy("\r\nHi\r\n")).toBe(`${OURS}\r\nHi\r\n`);
  expect(copy("From: a@x.example\r\n")).toBe(`${OURS}From: a@x.example\r\n`);
});

describe("a message that came through a list", () => {
  const foreign =
    "List-Id: <theirs.lists.example>\r\nList-Unsubscribe: <https://lists.example/u>\r\n" +
    "Precedence: bulk\r\nFrom: a@x.example\r\n\r\nHi\r\n";

  test("keeps the fields of an outside list without duplicates", () => {
    const written = copy(foreign);
    expect(written.endsWith(foreign)).toBe(true);
    for (const name of ["List-Id", "List-Post", "List-Unsubscribe", "Precedence"])
      expect([name, valuesOf(written, name)]).toEqual([name, [expect.any(String)]]);
    expect(valuesOf(written, "Delivered-To")).toEqual([list.address]);
  });

  test("replaces the fields of our own groups and keeps trace fields", () => {
    const earlier = { address: "all@rival.example", name: "Everybody — all" };
    const first = copy(MESSAGE, { list: earlier });
    const second = copy(first, { earlier });
    expect(second).toBe(`${OURS}Delivered-To: ${earlier.address}\r\n${MESSAGE}`);
    expect(copy(first, { earlier: { ...earlier, name: "Renamed" } })).toBe(second);
  });

  test("keeps an earlier List-Unsubscribe from outside", () => {
    const earlier = { address: "all@rival.example", name: "" };
    const letter = `List-Unsubscribe: <https://news.example/u>\r\n${MESSAGE}`;
    const second = copy(copy(letter, { list: earlier }), { earlier });
    expect(valuesOf(second, "List-Unsubscribe")).toEqual(["<https://news.example/u>"]);
    expect(valuesOf(second, "List-Id")).toEqual(["<team.shop.example>"]);
  });
});

describe("a group's name", () => {
  test.each([
    ["Team", "Team <team.shop.example>"],
    ["Team One", "Team One <team.shop.example>"],
    ["R&D/2", "R&D/2 <team.shop.example>"],
    ["Zürich", "=?UTF-8?Q?Z=C3=BCrich?= <team.shop.example>"],
    ['"Us" <all>', /^=\?UTF-8\?/],
    ["=?utf-8?Q?x?=", /^=\?UTF-8\?B\?/],
    ["a, b; c: d (e)", /^=\?UTF-8\?/],
  ])("%j", (name, value) => {
    const [id] = listFields({ ...list, name });
    if (typeof value === "string") expect(id!.value).toBe(value);
    else expect(id!.value).toMatch(value);
  });

  test("any name makes one folded List-Id field that decodes to it", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 160 }),
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc
        .array(
          fc.constantFrom("\r\n", "Bcc: ", "x@y.z", "<", ">", '"', " ", "=?", "?=", "ä", "a"),
          {
            maxLength: 40,
          },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (name) => {
        const written = copy(MESSAGE, { list: { ...list, name } });
        expect(written.endsWith(`\r\n${MESSAGE}`)).toBe(true);
        const names = headerFields(Buffer.from(written, "latin1")).map((field) => field.name);
        expect(names).toEqual([
          "delivered-to",
          "list-id",
          "list-post",
          "list-unsubscribe",
          "precedence",
          "received",
          "from",
          "reply-to",
        ]);
        const header = written.slice(0, written.indexOf(MESSAGE));
        expect(header).toMatch(/^[\x20-\x7e\r\n]*$/);
        for (const line of header.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
        const [id] = valuesOf(written, "List-Id");
        expect(id).toMatch(/(^|[^<>]) ?<team\.shop\.example>$/);
        const phrase = id!.slice(0, -"<team.shop.example>".length).trim();
        expect(decodeWords(phrase)).toBe(name.toWellFormed());
      }),
      { numRuns: 150 },
    );
  });
});

describe("a DKIM signature of the author's domain", () => {
  const verify = async (message: string) => {
    const { results } = await dkimVerify(Buffer.from(message, "latin1"), {
      resolver: () => Promise.resolve([[KEY_RECORD]]),
    });
    return results.map(({ status: { result } }) => result);
  };
  const letter = (body: string) =>
    `From: Ann <ann@there.test>\r\nTo: team@shop.example\r\nReply-To: ann@there.test\r\nSubject: x\r\nList-Unsubscribe: <https://there.test/u>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\n${body}`;

  test.each([
    ["plain text", "Hello\r\n"],
    ["no line end", "Hello"],
    ["odd white space", "\0 x\t\r\n\r\n \r\n\r\n"],
    ["nothing", ""],
  ])("holds over %s", async (_, body) => {
    const original = await signed(letter(body), "there.test");
    expect(await verify(original)).toEqual(["pass"]);
    const written = copy(original, { list: { ...list, name: "Töam" } });
    expect(await verify(written)).toEqual(["pass"]);
    const bytes = Buffer.from(written, "latin1");
    expect(bytes.subarray(headerEnd(bytes)).toString("latin1")).toBe(`\r\n${body}`);
  });

  test("stays valid through two groups", async () => {
    const earlier = { address: "all@rival.example", name: "All" };
    const first = copy(await signed(letter("Hello\r\n"), "there.test"), { list: earlier });
    expect(await verify(copy(first, { earlier }))).toEqual(["pass"]);
  });

  test("breaks if replies go to the group and Reply-To was signed", async () => {
    const original = await signed(letter("Hello\r\n"), "there.test", {
      headerList: "From:To:Subject:Reply-To",
    });
    expect(await verify(copy(original, { isRepliedToGroup: true }))).toEqual(["fail"]);
    expect(await verify(copy(original))).toEqual(["pass"]);
  });
});
