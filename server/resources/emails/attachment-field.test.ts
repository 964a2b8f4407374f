import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { AttachmentInput, EmailInput } from "#server/core/sending/emails/email-input.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { parse } from "#server/http/parse.ts";

import { EmailFields } from "./fields.ts";
import { emailsApi } from "./api.ts";

const email = { from: "ann@shop.example", to: "bob@example.org", subject: "Hi", text: "Hi" };
const file = { filename: "order.txt", content: "SGVsbG8=" };

/** Parses a body as a client sends it. */
const readEmail = (attachments: unknown): EmailInput =>
  parse(
    EmailFields,
    JSON.parse(JSON.stringify({ ...email, attachments })),
    emailsApi.send,
  ) as EmailInput;
const readFile = (fields: object): AttachmentInput =>
  readEmail([{ ...file, ...fields }]).attachments[0]!;

function refusalOf(attachments: unknown): string {
  try {
    readEmail(attachments);
  } catch (error) {
    if (error instanceof Refusal) return `${error.reason}: ${error.message}`;
  }
  return "none";
}
const refusalOfFile = (fields: object) => refusalOf([{ ...file, ...fields }]);

const fill = (count: number) => "x".repeat(count);
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const NAME =
  /^invalid_attachment: attachments\[0\]\.filename: must be at most 255 characters, without/;
const NO_TYPE =
  /^invalid_attachment: attachments\[0\]\.content_type: must be a media type of at most/;
const NO_ID = /^invalid_attachment: attachments\[0\]\.content_id: must be 1 to 100 letters, digits/;
const NO_CONTENT = "invalid_attachment: attachments[0].content: must be a base64-encoded file";
const REMOTE = "is not supported. Send the file in content";

describe("rejects attachments with validation_error", () => {
  test.each([
    ["as an object", file, "invalid: attachments: must be a list, not an object"],
    ["as text", "SGVsbG8=", "invalid: attachments: must be a list, not a string"],
    ["as a number", 1, "invalid: attachments: must be a list, not a number"],
    ["21 files", Array(21).fill(file), "invalid: attachments: must have at most 20 entries"],
    ["21 of anything", Array(21).fill(1), "invalid: attachments: must have at most 20 entries"],
  ])("%s", (_, attachments, refusal) => {
    expect(refusalOf(attachments)).toBe(refusal);
  });
});

describe("rejects a file with invalid_attachment", () => {
  const NO_FILE = "invalid_attachment: attachments[0]: must be an object with the file in content";

  test.each([
    ["that is text", "SGVsbG8="],
    ["that is null", null],
    ["that is a list", [file]],
    ["that is a number", 7],
  ])("%s", (_, attachment) => {
    expect(refusalOf([attachment])).toBe(NO_FILE);
  });

  test.each([
    ["left out", undefined],
    ["null", null],
    ["empty", ""],
    ["a number", 7],
    ["an object", { data: "SGVsbG8=" }],
    ["plain words", "Hello there!"],
    ["base64 with a blank in it", "SGVs bG8="],
    ["base64 without its padding", "SGVsbG8"],
    ["too much padding", "SGVsbG8=="],
    ["padding in the middle", "SGU=SGU="],
    ["padding alone", "===="],
    ["the alphabet of URLs", "_-_-"],
    ["a letter beyond ASCII whose low byte is A", "AAA\u0141"],
    ["a data URL", "data:text/plain;base64,SGVsbG8="],
    ["a half character", "SGVs\ud83d==="],
    ["no bytes", []],
    ["a byte of 256", [72, 256]],
    ["a byte of -1", [72, -1]],
    ["half a byte", [72, 0.5]],
    ["a byte as text", ["72"]],
    ["a null among bytes", [72, null]],
    ["a Buffer without data", { type: "Buffer" }],
    ["a Buffer of no bytes", { type: "Buffer", data: [] }],
    ["a Buffer of text", { type: "Buffer", data: "SGVsbG8=" }],
    ["a Buffer by another name", { type: "Uint8Array", data: [72] }],
  ])("content: %s", (_, content) => {
    expect(refusalOfFile({ content })).toBe(NO_CONTENT);
  });

  test.each([
    ["over 255 characters", { filename: fill(256) }, NAME],
    ["with a slash", { filename: "a/b.txt" }, NAME],
    ["with a backslash", { filename: "a\\b.txt" }, NAME],
    ["with CR", { filename: "a\rb.txt" }, NAME],
    ["with LF", { filename: "a\nBcc: eve@example.org" }, NAME],
    ["with a tab", { filename: "a\tb.txt" }, NAME],
    ["with U+0085", { filename: "a\u0085b.txt" }, NAME],
    ["with U+2028", { filename: "a\u2028b.txt" }, NAME],
    ["that is a number", { filename: 7 }, NAME],
    ["that is a list", { filename: ["a.txt"] }, NAME],
  ])("filename %s", (_, fields, refusal) => {
    expect(refusalOfFile(fields)).toMatch(refusal);
  });

  test.each([
    ["over 255 characters", `application/${fill(244)}`],
    ["without a slash", "pdf"],
    ["without a subtype", "application/"],
    ["with two slashes", "application/pdf/x"],
    ["with a blank", "application/ pdf"],
    ["with a line break", "application/pdf\r\nBcc: eve@example.org"],
    ["with a folded line", "application/pdf;\r\n x=y"],
    ["with a parameter without value", "text/plain; charset"],
    ["with an open quotation", 'text/plain; charset="utf-8'],
    ["with two values", "text/plain; charset=utf-8 latin1"],
    ["with an encoded parameter", "text/plain; name*=utf-8''x"],
    ["with letters beyond ASCII", "text/plain; name=ä"],
    ["with a star", "*/*"],
    ["that is a number", 7],
  ])("content_type %s", (_, content_type) => {
    expect(refusalOfFile({ content_type })).toMatch(NO_TYPE);
  });

  test.each([
    ["over 100 characters", fill(101)],
    ["with angle brackets", "<logo>"],
    ["with a blank", "my logo"],
    ["with a slash", "a/b"],
    ["with a line break behind", "logo\n"],
    ["with letters beyond ASCII", "lögo"],
    ["that is a number", 7],
  ])("content_id %s", (_, content_id) => {
    expect(refusalOfFile({ content_id })).toMatch(NO_ID);
  });

  test.each([
    ["path", { path: "https://example.org/a.pdf" }],
    ["path, along with content", { path: "/etc/passwd" }],
    ["path, without content", { path: "https://example.org/a.pdf", content: undefined }],
    ["href", { href: "https://example.org/a.pdf" }],
  ])("%s", (field, fields) => {
    expect(refusalOfFile(fields)).toBe(
      `invalid_attachment: attachments[0].${field.split(",")[0]!}: ${REMOTE}`,
    );
  });

  test.each([
    ["contentType", "pdf"],
    ["contentId", "my logo"],
  ])("validates the alias %s like the field itself", (field, value) => {
    expect(refusalOfFile({ [field]: value })).toContain(`attachments[0].${field}: must be`);
  });

  test("names the index of the invalid attachment", () => {
    expect(refusalOf([file, { ...file, filename: "a/b" }])).toContain("attachments[1].filename");
  });

  test("rejects more than 20 MB of files in total after decoding", () => {
    const of = (bytes: number) => ({ content: Buffer.alloc(bytes).toString("base64") });
    const MB = 1024 * 1024;

    expect(readEmail([of(10 * MB), of(10 * MB)]).attachments).toHaveLength(2);
    expect(refusalOf([of(10 * MB), of(10 * MB), of(1)])).toBe(
      "invalid_attachment: Attachments exceed 20 MB",
    );
  });
});

describe("accepts a file", () => {
  test.each([
    ["in base64", "SGVsbG8=", "Hello"],
    ["in base64 with line breaks", "SGVs\r\nbG8=\r\n", "Hello"],
    ["in base64 with bare line feeds", "SGVs\nbG8=\n", "Hello"],
    ["as bytes, as Go, Rust and Rails send it", [72, 101, 108, 108, 111], "Hello"],
    ["as the JSON of a Buffer", Buffer.from("Hello"), "Hello"],
    ["of a single zero byte", [0], "\0"],
  ])("%s", (_, content, decoded) => {
    expect(readFile({ content }).content.toString("latin1")).toBe(decoded);
  });

  test("with arbitrary bytes, in each form", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const content = Buffer.from(bytes);
        expect(readFile({ content: content.toString("base64") }).content).toEqual(content);
        expect(readFile({ content: [...bytes] }).content).toEqual(content);
        expect(readFile({ content }).content).toEqual(content);
      }),
    );
  });

  test("accepts exactly the base64 of RFC 4648", () => {
    const sign = fc.constantFrom(..."AZaz09+/=-_ \r\n\u0141".split(""));
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        const content = signs.join("");
        const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
        const plain = content.replace(/[\r\n]/g, "");
        const refusal = plain !== "" && isBase64.test(plain) ? "none" : NO_CONTENT;
        expect(refusalOfFile({ content })).toBe(refusal);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["a name of 255", { filename: fill(255) }, { filename: fill(255) }],
    ["a name of another script", { filename: "请求 🎉.pdf" }, { filename: "请求 🎉.pdf" }],
    ["a name with quotes", { filename: 'a "b".pdf' }, { filename: 'a "b".pdf' }],
    ["a type", { content_type: "text/csv" }, { contentType: "text/csv" }],
    [
      "a type with parameters",
      { content_type: 'text/calendar; charset="utf-8"; method=REQUEST' },
      { contentType: 'text/calendar; charset="utf-8"; method=REQUEST' },
    ],
    ["a long type", { content_type: WORD }, { contentType: WORD }],
    ["a type as contentType", { contentType: "text/csv" }, { contentType: "text/csv" }],
    ["a content id", { content_id: "a.b_c-1@d" }, { contentId: "a.b_c-1@d" }],
    ["a content id of 100", { content_id: fill(100) }, { contentId: fill(100) }],
    ["a content id as contentId", { contentId: "logo" }, { contentId: "logo" }],
    [
      "empty optional fields",
      { filename: "", content_type: "", content_id: "", path: "", href: "" },
      { filename: null, contentType: null, contentId: null },
    ],
    [
      "null in optional fields",
      { filename: null, contentType: null, contentId: null, path: null },
      { filename: null, contentType: null, contentId: null },
    ],
    [
      "an empty name beside its twin",
      { content_type: "", contentType: "text/csv" },
      { contentType: "text/csv" },
    ],
    ["fields it does not know", { disposition: "inline", encoding: "hex" }, {}],
  ])("with %s", (_, fields, expected) => {
    expect(readFile(fields)).toMatchObject(expected);
  });

  test.each([
    ["left out", undefined],
    ["null", null],
    ["an empty list", []],
    ["an empty text", ""],
  ])("treats attachments %s as none", (_, attachments) => {
    expect(readEmail(attachments).attachments).toEqual([]);
  });

  test("accepts up to 20 files and keeps their order", () => {
    const files = Array.from({ length: 20 }, (_, i) => ({ ...file, filename: `${i}.txt` }));

    expect(readEmail(files).attachments.map(({ filename }) => filename)).toEqual(
      files.map(({ filename }) => filename),
    );
  });
});
