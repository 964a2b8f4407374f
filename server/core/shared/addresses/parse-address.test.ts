import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { formatAddress, parseAddress, parseRecipient, readDomain } from "./parse-address.ts";

const long = (count: number) => "a".repeat(count);
const domainOfLength = (count: number) => {
  const labels = `${long(49)}.`.repeat(Math.floor((count - 10) / 50));
  return `${labels}${long(count - labels.length - 8)}.example`;
};

describe("accepts", () => {
  test.each([
    ["a bare address", "ann@example.com", "", "ann@example.com"],
    ["an address in angle brackets", "<ann@example.com>", "", "ann@example.com"],
    ["a name in front", "Ann Smith <ann@example.com>", "Ann Smith", "ann@example.com"],
    ["a name without a space behind it", "Ann<ann@example.com>", "Ann", "ann@example.com"],
    ["a name with a dot", "J. Smith <j@example.com>", "J. Smith", "j@example.com"],
    [
      "a name with brackets, as part of it",
      "Ann (HR) <a@example.com>",
      "Ann (HR)",
      "a@example.com",
    ],
    ["a quoted name", '"Smith, Ann" <ann@example.com>', "Smith, Ann", "ann@example.com"],
    ["escapes in a quoted name", '"A \\"B\\" \\\\C" <a@example.com>', 'A "B" \\C', "a@example.com"],
    [
      "a quoted name that looks like an address",
      '"x@y.z" <a@example.com>',
      "x@y.z",
      "a@example.com",
    ],
    ["an empty quoted name", '"" <ann@example.com>', "", "ann@example.com"],
    ["a name of another script", "佐藤 <sato@example.com>", "佐藤", "sato@example.com"],
    ["an emoji joined by U+200D", "👩‍💻 Dev <d@example.com>", "👩‍💻 Dev", "d@example.com"],
    ["spaces around it", "  ann@example.com ", "", "ann@example.com"],
    ["capitals, in lower case", "Ann@Example.COM", "", "ann@example.com"],
    ["a tag and other atoms", "a+b=c_d'e/f!g%h@example.com", "", "a+b=c_d'e/f!g%h@example.com"],
    ["a domain of another script, in A-labels", "a@bücher.example", "", "a@xn--bcher-kva.example"],
    ["capitals of another script", "a@BÜCHER.example", "", "a@xn--bcher-kva.example"],
    ["an A-label", "a@xn--bcher-kva.example", "", "a@xn--bcher-kva.example"],
    ["a right-to-left domain", "a@שלום.example", "", "a@xn--9dbne9b.example"],
    ["ß as IDNA 2008 has it", "a@faß.example", "", "a@xn--fa-hia.example"],
    ["a local part of 64", `${long(64)}@example.com`, "", `${long(64)}@example.com`],
    ["a domain of 253", `a@${domainOfLength(253)}`, "", `a@${domainOfLength(253)}`],
    ["a label of 63", `a@${long(63)}.example`, "", `a@${long(63)}.example`],
    ["320 characters", `${long(304)} <a@example.com>`, long(304), "a@example.com"],
  ])("%s", (_, text, name, address) => {
    const { written = address, ...read } = parseAddress(text)!;
    expect(read).toEqual({ name, address });
    expect(written.toLowerCase()).toBe(address);
  });
});

describe("rejects", () => {
  test.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["a name alone", "Ann"],
    ["an at sign alone", "@"],
    ["no local part", "@example.com"],
    ["no domain", "ann@"],
    ["a domain without a dot", "ann@localhost"],
    ["two at signs", "ann@example.org@example.com"],
    ["two addresses with a comma", "a@example.com,b@example.com"],
    ["two addresses with a comma and a space", "a@example.com, b@example.com"],
    ["two addresses with a semicolon", "a@example.com;b@example.com"],
    ["two addresses with a space", "a@example.com b@example.com"],
    ["two addresses in brackets", "A <a@example.com>, B <b@example.com>"],
    ["two pairs of brackets", "<a@example.com><b@example.com>"],
    ["an address as unquoted name", "a@example.com <b@example.com>"],
    ["a name behind", "<ann@example.com> Ann"],
    ["an open bracket", "Ann <ann@example.com"],
    ["a closing bracket alone", "ann@example.com>"],
    ["doubled brackets", "Ann <<ann@example.com>>"],
    ["an unfinished quotation", '"Ann <ann@example.com>'],
    ["text beside a quotation", '"Ann" Smith <ann@example.com>'],
    ["a quotation that ends in an escape", '"Ann\\" <ann@example.com>'],
    ["a group", "Team: a@example.com;"],
    ["a group before brackets", "Team: <a@example.com>"],
    ["a comment in the address", "ann(x)@example.com"],
    ["a comment behind the address", "ann@example.com (Ann)"],
    ["a route", "<@one.example,@two.example:ann@example.com>"],
    ["a quoted local part", '"ann smith"@example.com'],
    ["a quoted at sign", '"ann@example.org"@example.com'],
    ["an address literal", "ann@[127.0.0.1]"],
    ["an IPv4 address", "ann@127.0.0.1"],
    ["an IPv4 address in hexadecimal", "ann@1.2.3.0x4"],
    ["an encoded word as local part", "=?utf-8?q?ann=40example.org=3e?=@example.com"],
    ["the start of an encoded word", "=?x@example.com"],
    ["an encoded word as name", "=?utf-8?B?4oCu?= <ann@example.com>"],
    ["an encoded word as quoted name", '"=?utf-8?q?x?=" <ann@example.com>'],
    ["a dot first", ".ann@example.com"],
    ["a dot last", "ann.@example.com"],
    ["two dots", "ann..smith@example.com"],
    ["a space in the local part", "ann smith@example.com"],
    ["a space in the domain", "ann@exam ple.com"],
    ["a dot behind the domain", "ann@example.com."],
    ["a dot before the domain", "ann@.example.com"],
    ["two dots in the domain", "ann@example..com"],
    ["a label that starts with a dash", "ann@-x.example"],
    ["a label that ends with a dash", "ann@x-.example"],
    ["an underscore in the domain", "ann@a_b.example"],
    ["a port", "ann@example.com:25"],
    ["a path", "ann@example.com/x"],
    ["a percent code in the domain", "ann@ex%41mple.com"],
    ["a query in the domain", "ann@example.com?x.y"],
    ["a backslash in the domain", "ann@example.com\\x.y"],
    ["the ideographic full stop U+3002", "ann@example。com"],
    ["the full-width full stop U+FF0E", "ann@example．com"],
    ["the half-width full stop U+FF61", "ann@example｡com"],
    ["the one dot leader U+2024", "ann@example․com"],
    ["the full-width at sign U+FF20", "ann＠example.com"],
    ["full-width letters", "ann@ｅｘａｍｐｌｅ.com"],
    ["the Kelvin sign in the local part", "\u212Aate@example.com"],
    ["the Kelvin sign in the domain", "ann@boo\u212A.com"],
    ["a letter beyond ASCII in the local part", "jörg@example.com"],
    ["a zero-width space in the domain", "ann@exam\u200Bple.com"],
    ["a zero-width joiner in the domain", "ann@exam\u200Dple.com"],
    ["a soft hyphen in the domain", "ann@exam\u00ADple.com"],
    ["a byte order mark in the domain", "ann@exam\uFEFFple.com"],
    ["a right-to-left mark in the domain", "ann@example\u200F.com"],
    ["a zero-width space in the local part", "an\u200Bn@example.com"],
    ["a bidi override in the name", "Ann \u202Emoc.knab@oec <ann@example.com>"],
    ["a bidi isolate in the name", "Ann \u2067x\u2069 <ann@example.com>"],
    ["letters of both directions in a label", "ann@אa.example"],
    ["a combining mark that is not composed", "ann@a\u0300.example"],
    ["a line break in the name", "Ann\r\nBcc: x@example.org <ann@example.com>"],
    ["a line break behind", "ann@example.com\r\n"],
    ["a command behind the address", "<ann@example.com>\r\nRCPT TO:<eve@example.org>"],
    ["a tab", "\tann@example.com"],
    ["a NUL", "ann\0@example.com"],
    ["a NUL in the name", "A\0nn <ann@example.com>"],
    ["the line separator U+2028", "Ann\u2028 <ann@example.com>"],
    ["half of a surrogate pair", "\ud83d <ann@example.com>"],
    ["a local part of 65", `${long(65)}@example.com`],
    ["a domain of 254", `a@${domainOfLength(254)}`],
    ["a label of 64", `a@${long(64)}.example`],
    ["321 characters", `${long(305)} <a@example.com>`],
  ])("%s", (_, text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

describe("a recipient's local part", () => {
  test.each([
    ["two dots", "A..b@x.example", "A..b@x.example"],
    ["a dot first", ".a@x.example", ".a@x.example"],
    ["a dot last", "a.@x.example", "a.@x.example"],
    ["dots alone", "...@x.example", "...@x.example"],
    ["quoted dots", '".a..b"@x.example', ".a..b@x.example"],
    ["special characters in quotes", '"a,b;(c):[d]"@x.example', '"a,b;(c):[d]"@x.example'],
    ["escapes", '"a\\"\\\\\\,b"@x.example', '"a\\"\\\\,b"@x.example'],
    ["quotes that it doesn't need", '"Ann.Lee"@X.example', "Ann.Lee@x.example"],
    ["escapes that it doesn't need", '"\\a\\nn"@x.example', "ann@x.example"],
    ["a name in front", '"Lee, Ann" <"a,b"@x.example>', '"a,b"@x.example', "Lee, Ann"],
    ["a name in front of dots", "Ann <a..b@x.example>", "a..b@x.example", "Ann"],
  ])("can have %s", (_, text, written, name = "") => {
    const address = written.toLowerCase();
    const read = { name, address, ...(written !== address && { written }) };
    expect(parseRecipient(text)).toEqual(read);
    expect(parseRecipient(formatAddress(read))).toEqual(read);
  });

  test.each([
    ["a space", '"john smith"@x.example'],
    ["an at sign", '"a@b"@x.example'],
    ["an escaped at sign", '"a\\@b"@x.example'],
    ["angle brackets", '"a>b"@x.example'],
    ["a path that ends early", '"a>\r\nRCPT TO:<b"@x.example'],
    ["a line break", '"a\nb"@x.example'],
    ["an escaped line break", '"a\\\nb"@x.example'],
    ["a NUL", '"a\0b"@x.example'],
    ["a letter beyond ASCII", '"jörg"@x.example'],
    ["nothing in quotes", '""@x.example'],
    ["an open quotation", '"ann@x.example'],
    ["a quotation that ends in an escape", '"ann\\"@x.example'],
    ["text beside a quotation", '"a"b@x.example'],
    ["two quotations", '"a"."b"@x.example'],
    ["a backslash without quotes", "a\\b@x.example"],
    ["65 characters", `"${long(62)},"@x.example`],
    ["an encoded word", '"=?utf-8?q?x?="@x.example'],
  ])("can't have %s", (_, text) => {
    expect(parseRecipient(text)).toBeNull();
  });
});

const atom = fc.stringMatching(/^[a-z0-9!#$%&'*+/^_`{|}~-]{1,12}$/);
const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
const address = fc
  .tuple(
    fc.array(atom, { minLength: 1, maxLength: 3 }),
    fc.array(label, { minLength: 2, maxLength: 4 }),
  )
  .map(([local, domain]) => `${local.join(".")}@${domain.join(".")}`);
const word = fc.stringMatching(/^[\p{L}\p{N}'&!.-]{1,10}$/u);
const name = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));

/** Addresses, and texts made of parts that confuse address parsers. */
const suspicious = fc
  .array(
    fc.oneof(
      address,
      fc.constantFrom(
        ...'<>,;:@.()"\\ \r\n\t\0%/=?。．｡＠\u200B\u202E\u2028\u212A\u0130ßéa1-'.split(""),
      ),
      fc.constantFrom("=?utf-8?q?", "?=", "example.com", "xn--", "bücher", "\ud800"),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

describe("for any text", () => {
  test("parses a valid address completely, with a plain or quoted name", () => {
    fc.assert(
      fc.property(address, name, (address, name) => {
        const expected = { name, address };
        expect(parseAddress(`${name} <${address}>`)).toEqual(expected);
        const quoted = name.replace(/["\\]/g, "\\$&");
        const [local, domain] = address.split("@") as [string, string];
        const written = `${local.toUpperCase()}@${domain}`;
        expect(parseAddress(`"${quoted}" <${address.toUpperCase()}>`)).toEqual({
          ...expected,
          ...(written !== address && { written }),
        });
      }),
    );
  });

  test("returns exactly one plain SMTP address", () => {
    fc.assert(
      fc.property(suspicious, (text) => {
        const { address = "a@b.example" } = parseAddress(text) ?? {};
        expect(address).toMatch(/^[^\s<>,;:@"()\\\0-\x20\x7f-\uffff]+@([a-z0-9-]+\.)+[a-z0-9-]+$/);
      }),
      { numRuns: 2000 },
    );
  });

  test("parses its own result unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(suspicious, address), (text) => {
        const parsed = parseAddress(text);
        if (!parsed) return;
        const { written, ...plain } = parsed;
        expect(parseAddress(parsed.address)).toEqual({ ...plain, name: "" });
        if (written) expect(parseAddress(written)).toEqual({ ...parsed, name: "" });
      }),
      { numRuns: 2000 },
    );
  });

  test("returns a part of the text: nothing is decoded, unfolded or dropped", () => {
    fc.assert(
      fc.property(suspicious, (text) => {
        const parsed = parseAddress(text);
        if (!parsed) return;
        const asciiLower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        const localPart = parsed.address.split("@")[0]!;
        expect(asciiLower).toContain(`${localPart}@`);
        if (/^[\x20-\x7e]*$/.test(text)) expect(asciiLower).toContain(parsed.address);
      }),
      { numRuns: 2000 },
    );
  });

  test("returns names without line breaks and bidi overrides", () => {
    fc.assert(
      fc.property(suspicious, address, (text, address) => {
        const { name = "" } = parseAddress(`${text} <${address}>`) ?? {};
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 2000 },
    );
  });
});

test("parses a domain the same way alone and in an address", () => {
  expect(readDomain("BÜCHER.example")).toBe("xn--bcher-kva.example");
  expect(readDomain("a@b.example")).toBeNull();
  expect(readDomain("")).toBeNull();
});
