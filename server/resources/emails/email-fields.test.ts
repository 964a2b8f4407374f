import { describe, expect, test } from "vitest";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { parse } from "#server/http/parse.ts";
import { parseBytes } from "#server/http/parse-bytes.ts";

import { EmailFields } from "./fields.ts";
import { emailsApi } from "./api.ts";

const email = { from: "ann@shop.example", to: "bob@example.org", subject: "Hello", text: "Hi" };

/** Parses a request's body. */
const readBody = (body: string | Uint8Array): EmailInput =>
  parse(EmailFields, parseBytes(Buffer.from(body)), emailsApi.send) as EmailInput;
const read = (fields: object) => readBody(JSON.stringify({ ...email, ...fields }));

function refusalOf(reading: () => EmailInput): Refusal {
  try {
    reading();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("It was accepted");
}

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`);
const bare = (address: string) => ({ name: "", address });
const tag = (name: string, value: string) => ({ tags: [{ name, value }] });
const fill = (count: number) => "x".repeat(count);

describe("reports a missing field as missing_required_field", () => {
  test.each([
    ["from left out", { from: undefined }, "from"],
    ["from null", { from: null }, "from"],
    ["to left out", { to: undefined }, "to"],
    ["to null", { to: null }, "to"],
    ["subject left out", { subject: undefined }, "subject"],
    ["subject null", { subject: null }, "subject"],
    ["subject left out, whatever else is wrong", { subject: undefined, from: 7 }, "subject"],
  ])("%s", (_, fields, field) => {
    expect(refusalOf(() => read(fields))).toMatchObject({
      reason: "missing_required_field",
      message: `Missing required field: ${field}`,
    });
  });
});

describe("reports an invalid field as validation_error and names it", () => {
  test.each([
    ["from empty", { from: "" }, /^from: must be a valid email address/],
    ["from not text", { from: 7 }, "from: must be a string, not a number"],
    ["from a list", { from: ["a@example.org"] }, "from: must be a string, not a list"],
    [
      "from two addresses",
      { from: "a@b.example, c@d.example" },
      /^from: must be a valid email address/,
    ],
    [
      "from over 320",
      { from: `${fill(307)} <a@b.example>` },
      "from: must be at most 320 characters",
    ],
    [
      "from name over 100",
      { from: `${fill(101)} <a@b.example>` },
      /^from: the display name .* 100/,
    ],
    [
      "from with a line break",
      { from: "A\r\nBcc: x <a@b.example>" },
      /^from: must be a valid email address/,
    ],
    ["to empty", { to: "" }, "to: must have at least one recipient"],
    ["to an empty list", { to: [] }, "to: must have at least one recipient"],
    ["to not text", { to: 7 }, "to: must be an address or a list of addresses"],
    [
      "to an object",
      { to: { email: "a@b.example" } },
      "to: must be an address or a list of addresses",
    ],
    [
      "to no address",
      { to: "bob" },
      "to: must be a valid email address, with or without a display name",
    ],
    ["to two in one text", { to: "a@b.example,c@d.example" }, /^to: must be a valid email address/],
    [
      "to two with a semicolon",
      { to: ["a@b.example;c@d.example"] },
      /^to\[0\]: must be a valid email address/,
    ],
    [
      "a wrong one in to",
      { to: ["a@b.example", "invalid"] },
      /^to\[1\]: must be a valid email address/,
    ],
    ["an empty one in to", { to: ["a@b.example", ""] }, /^to\[1\]: must be a valid email address/],
    ["a number in to", { to: ["a@b.example", 5] }, "to[1]: must be a string, not a number"],
    ["a null in cc", { cc: [null] }, "cc[0]: must be a string, not null"],
    [
      "an address over 320",
      { to: `${fill(307)} <a@b.example>` },
      "to: must be at most 320 characters",
    ],
    ["51 in to", { to: addresses(51) }, "to: must have at most 50 entries"],
    [
      "51 in all",
      { to: addresses(20), cc: addresses(20), bcc: addresses(11) },
      /at most 50 .* in total/,
    ],
    ["51 in reply_to", { reply_to: addresses(51) }, "reply_to: must have at most 50 entries"],
    ["51 in replyTo", { replyTo: addresses(51) }, "replyTo: must have at most 50 entries"],
    ["a wrong reply_to", { reply_to: "invalid" }, /^reply_to: must be a valid email address/],
    ["a wrong bcc", { bcc: "invalid" }, /^bcc: must be a valid email address/],
    ["subject empty", { subject: "" }, "subject: must not be empty"],
    ["subject of spaces", { subject: "  " }, "subject: must not be empty"],
    ["subject not text", { subject: 7 }, "subject: must be a string, not a number"],
    ["subject over 998", { subject: fill(999) }, "subject: must be at most 998 characters"],
    ["subject with CR", { subject: "a\rb" }, /^subject: must be a single line/],
    ["subject with LF", { subject: "a\nBcc: x@example.org" }, /^subject: must be a single line/],
    ["subject with U+0085", { subject: "a\u0085b" }, /^subject: must be a single line/],
    ["subject with U+2028", { subject: "a\u2028b" }, /^subject: must be a single line/],
    ["no body", { text: undefined }, "Provide html or text"],
    ["an empty text alone", { text: "" }, "Provide html or text"],
    ["both bodies empty", { text: "", html: "" }, "Provide html or text"],
    ["html not text", { html: {} }, "html: must be a string, not an object"],
    ["text not text", { text: ["Hi"] }, "text: must be a string, not a list"],
    ["html over 2,000,000", { html: fill(2_000_001) }, "html: must be at most 2000000 characters"],
    ["text over 2,000,000", { text: fill(2_000_001) }, "text: must be at most 2000000 characters"],
    ["NUL in the subject", { subject: "a\0b" }, "The body contains a NUL character"],
    ["NUL in the html", { html: "a\0b" }, "The body contains a NUL character"],
    ["NUL behind a backslash", { text: "a\\\0b" }, "The body contains a NUL character"],
    ["NUL in a name", { headers: { "X-\0": "b" } }, "The body contains a NUL character"],
    ["headers as text", { headers: "X-A: b" }, "headers: must be an object, not a string"],
    ["headers as list", { headers: ["X-A: b"] }, "headers: must be an object, not a list"],
    ["a header that is not allowed", { headers: { Bcc: "b" } }, /^headers: "Bcc" is not allowed/],
    ["X- alone", { headers: { "X-": "b" } }, /^headers: "X-" is not allowed/],
    ["X- and 61 characters", { headers: { [`X-${fill(61)}`]: "b" } }, /is not allowed/],
    ["a line break in a name", { headers: { "X-A\r\nBcc": "b" } }, /is not allowed/],
    ["a line break behind a name", { headers: { "X-A\n": "b" } }, /is not allowed/],
    ["a colon in a name", { headers: { "X-A:": "b" } }, /is not allowed/],
    ["__proto__ as name", { headers: JSON.parse('{"__proto__":"b"}') as object }, /is not allowed/],
    ["a value not text", { headers: { "X-A": 7 } }, "headers: X-A must be a string"],
    [
      "a value with a line break",
      { headers: { "X-A": "b\r\nBcc: c" } },
      /X-A must be a single line/,
    ],
    [
      "a name twice",
      { headers: { "X-A": "1", "x-b": "2", "x-a": "3" } },
      "headers: x-a must not appear twice: header names are case-insensitive",
    ],
    ["a value over 998", { headers: { "X-A": fill(999) } }, /X-A must be at most 998 characters/],
    [
      "31 headers",
      { headers: Object.fromEntries(addresses(31).map((_, i) => [`X-${i}`, "b"])) },
      "headers: must have at most 30 entries",
    ],
    ["tags as object", { tags: { a: "b" } }, "tags: must be a list, not an object"],
    ["a tag not an object", { tags: ["a"] }, "tags[0]: must be an object, not a string"],
    ["a tag without value", { tags: [{ name: "a" }] }, "tags[0].value: must be a string"],
    ["an empty tag name", tag("", "b"), /^tags\[0\]\.name: must be 1 to 256 ASCII letters/],
    ["a space in a tag", tag("a", "b c"), /^tags\[0\]\.value: must be 1 to 256 ASCII letters/],
    ["a letter beyond ASCII in a tag", tag("é", "b"), /^tags\[0\]\.name: must be 1 to 256 ASCII/],
    ["a line break behind a tag", tag("a", "b\n"), /^tags\[0\]\.value: must be 1 to 256 ASCII/],
    ["a tag over 256", tag("a", fill(257)), /^tags\[0\]\.value: must be 1 to 256 ASCII/],
    ["21 tags", { tags: addresses(21).map(() => tag("a", "b").tags[0]) }, /^tags: .* at most 20/],
    [
      "template not an object",
      { template: "a", text: "" },
      "template: must be an object, not a string",
    ],
    ["template without id", { template: {}, text: "" }, "template.id: must be a string"],
    ["template with an empty id", { template: { id: "" }, text: "" }, "template.id: is required"],
    ["template and text", { template: { id: "a" } }, "text: can't be combined with template"],
    [
      "template and html",
      { template: { id: "a" }, text: "", html: "a" },
      "html: can't be combined with template",
    ],
    [
      "a variable with a space",
      { template: { id: "a", variables: { "A B": "c" } }, text: "" },
      /^template\.variables: "A B" is not a variable name/,
    ],
    [
      "a variable over 2,000",
      { template: { id: "a", variables: { A: fill(2001) } }, text: "" },
      "template.variables: 'A' must be at most 2000 characters",
    ],
    [
      "a variable that is true",
      { template: { id: "a", variables: { A: true } }, text: "" },
      "template.variables: 'A' must be a string or a number",
    ],
    [
      "a variable over 2^53",
      { template: { id: "a", variables: { A: 2 ** 53 } }, text: "" },
      "template.variables: 'A' is too large",
    ],
    [
      "51 variables",
      {
        template: {
          id: "a",
          variables: Object.fromEntries(addresses(51).map((_, i) => [`A${i}`, 1])),
        },
        text: "",
      },
      "template.variables: must have at most 50 entries",
    ],
    ["topic_id", { topic_id: "a" }, "topic_id: is not supported"],
  ])("%s", (_, fields, message) => {
    const refusal = refusalOf(() => read(fields));

    expect(refusal.reason).toBe("invalid");
    if (typeof message === "string") expect(refusal.message).toBe(message);
    else expect(refusal.message).toMatch(message);
  });

  test.each([
    ["not JSON", "{", "Invalid JSON body"],
    ["nothing", "", "Invalid JSON body"],
    ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "Invalid JSON body"],
    ["a list", "[]", "The body must be an object"],
    ["a text", '"x"', "The body must be an object"],
    ["null", "null", "The body must be an object"],
    [
      "100,000 lists in each other",
      "[".repeat(1e5) + "]".repeat(1e5),
      "The body is nested more than 64 levels deep",
    ],
    [
      "a quarter of a million lists",
      `[${"[],".repeat(250_000)}[]]`,
      "The body has more than 200000 values",
    ],
  ])("a body that is %s", (_, body, message) => {
    expect(refusalOf(() => readBody(body))).toMatchObject({ reason: "invalid", message });
  });

  test("rejects a list of millions without reading each entry", () => {
    const body = JSON.stringify(email).replace('"bob@example.org"', `[${"1,".repeat(3e6)}1]`);

    expect(refusalOf(() => readBody(body)).message).toBe("to: must have at most 50 entries");
  });
});

describe("accepts", () => {
  test.each([
    ["html alone", { text: undefined, html: "<p>Hi</p>" }, { html: "<p>Hi</p>", text: null }],
    ["html with text", { html: "<p>Hi</p>" }, { html: "<p>Hi</p>", text: "Hi" }],
    ["html with an empty text: no part", { html: "<p>", text: "" }, { html: "<p>", text: "" }],
    ["text with an empty html", { html: "" }, { html: null, text: "Hi" }],
    ["2,000,000 characters", { text: fill(2_000_000) }, { text: fill(2_000_000) }],
    ["a subject of 998", { subject: fill(998) }, { subject: fill(998) }],
    ["a subject with a tab", { subject: "a\tb" }, { subject: "a\tb" }],
    ["an escaped backslash before u0000", { text: "\\u0000" }, { text: "\\u0000" }],
    ["50 recipients", { to: addresses(48), cc: "c@b.example", bcc: "d@b.example" }, {}],
    ["50 in reply_to", { reply_to: addresses(50) }, { replyTo: addresses(50).map(bare) }],
    ["replyTo for reply_to", { replyTo: "r@b.example" }, { replyTo: [bare("r@b.example")] }],
    [
      "capitals, in lower case and as written",
      { to: "Bob <BOB@Example.ORG>" },
      { to: [{ name: "Bob", address: "bob@example.org", written: "BOB@example.org" }] },
    ],
    [
      "a name with characters that need quoting",
      { to: 'Smith, Ann: "Shop" <a@b.example>' },
      { to: [{ name: 'Smith, Ann: "Shop"', address: "a@b.example" }] },
    ],
    [
      "an encoded name, and shows it decoded",
      { from: "=?utf-8?q?M=C3=BCller=2C?= =?UTF-8?Q?_=C3=96rs?= <a@b.example>" },
      {
        from: '"Müller, Örs" <a@b.example>',
        fromAddress: { name: "Müller, Örs", address: "a@b.example" },
      },
    ],
    [
      "an encoded name in quotes",
      { to: '"=?iso-8859-1?Q?J=F6rg?=" <a@b.example>' },
      { to: [{ name: "Jörg", address: "a@b.example" }] },
    ],
    ["30 allowed headers", { headers: { "X-A": "b", References: "<c>" } }, {}],
    ["header names in any case", { headers: { "list-UNSUBSCRIBE": "<https://x.example>" } }, {}],
    ["a tag of 256", tag(fill(256), "b"), tag(fill(256), "b")],
    ["20 tags", { tags: addresses(20).map(() => tag("a", "b").tags[0]) }, {}],
    [
      "empty lists where they mean nothing",
      { cc: [], bcc: [], reply_to: [], tags: [] },
      { cc: [] },
    ],
    [
      "empty texts where they mean nothing",
      { cc: "", bcc: "", reply_to: "", tags: "" },
      { bcc: [] },
    ],
    [
      "null where it means nothing",
      { cc: null, bcc: null, headers: null, tags: null },
      { tags: [] },
    ],
    ["no headers, as PHP writes them", { headers: [], attachments: [] }, { headers: {} }],
    ["unsupported fields without value", { topic_id: "", template: null }, {}],
    ["fields it does not know", { react: null, amp: "x" }, {}],
  ])("%s", (_, fields, expected) => {
    expect(read(fields)).toMatchObject(expected);
  });

  test("headers, except those reserved for the appliance", () => {
    const headers = { "x-posthouse-JUNK": "yes", "X-Posthouse": "1" };
    expect(read({ headers }).headers).toEqual({ "X-Posthouse": "1" });
  });

  test("the sender as written, with a display name of 100 characters", () => {
    const from = `${fill(100)} <${email.from.toUpperCase()}>`;

    expect(read({ from })).toMatchObject({
      from,
      fromAddress: { name: fill(100), address: email.from },
    });
  });
});
