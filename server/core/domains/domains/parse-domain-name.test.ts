import fc from "fast-check";
import { expect, test } from "vitest";

import { parseDomainName } from "./parse-domain-name.ts";

test.each([
  ["example.com", "example.com"],
  ["Example.COM", "example.com"],
  ["  example.com\n", "example.com"],
  ["example.com.", "example.com"],
  ["https://example.com", "example.com"],
  ["HTTPS://Example.com/", "example.com"],
  ["http://www.example.com/a/b?c=d#e", "www.example.com"],
  ["//example.com/path", "example.com"],
  ["example.com/path", "example.com"],
  ["example.com?query", "example.com"],
  ["example.com#part", "example.com"],
  ["example.com\\path", "example.com"],
  ["example.com:8080", "example.com"],
  ["https://user:pass@example.com:8443/x@y", "example.com"],
  ["ann@example.com", "example.com"],
  ["mailto:ann@example.com", "example.com"],
  ["smtp+tls://mail.example.com.:587/", "mail.example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example.", "xn--bcher-kva.example"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["почта.рф", "xn--80a1acny.xn--p1ai"],
  ["a-1.b--c.test", "a-1.b--c.test"],
  ["shop.test", "shop.test"],
  ["shop.co.uk", "shop.co.uk"],
  ["foo.github.io", "foo.github.io"],
  ["shop.spb.ru", "shop.spb.ru"],
  ["0.example.com", "0.example.com"],
  [`${"a".repeat(63)}.example.com`, `${"a".repeat(63)}.example.com`],
  [`${"abcdefg.".repeat(30)}a.example`, `${"abcdefg.".repeat(30)}a.example`],
])("parses %j as %s", (written, name) => {
  expect(parseDomainName(written)).toBe(name);
});

test.each([
  "",
  " ",
  "example",
  "localhost",
  ".example.com",
  "example..com",
  "example.com..",
  "-a.example.com",
  "a-.example.com",
  "a_b.example.com",
  "*.example.com",
  "exam ple.com",
  "example.com, example.net",
  "exam%70le.com",
  "example.com>",
  "Ann <ann@example.com>",
  "192.0.2.1",
  "http://192.0.2.1:80/",
  "127.1",
  "0x7f.1",
  "example.123",
  "[2001:db8::1]",
  "2001:db8::1",
  "https://",
  "user@",
  "xn--.example.com",
  "ｅｘａｍｐｌｅ.com",
  "example。com",
  "exa\u200bmple.com",
  "exam\u0000ple.com",
  `${"a".repeat(64)}.example.com`,
  `${"abcdefg.".repeat(31)}example`,
  `example.com/${"x".repeat(2000)}`,
])("rejects %j", (written) => {
  expect(() => parseDomainName(written)).toThrow(
    expect.objectContaining({
      reason: "invalid",
      message: expect.stringContaining("is not a domain name. Use a name such as") as string,
    }),
  );
});

test.each(["co.uk", "github.io", "https://github.io/", "spb.ru", "s3.amazonaws.com"])(
  "rejects the public suffix %s",
  (written) => {
    expect(() => parseDomainName(written)).toThrow(
      expect.objectContaining({
        reason: "invalid",
        message: expect.stringContaining("Use a domain below it that you own") as string,
      }),
    );
  },
);

const label = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/);
const pasted = fc
  .tuple(
    fc.constantFrom("", "https://", "//", "HTTP://u:p@", "ann@", "mailto:ann@"),
    fc.array(label, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("", ".", ":25", "/a@b", "?x.y", "./", ":1/"),
  )
  .map(([before, labels, after]) => `${before}${labels.join(".")}.example${after}`);

/** Null if the text is not a domain name. */
function read(text: string): string | null {
  try {
    return parseDomainName(text);
  } catch {
    return null;
  }
}

test("parsing a result again returns it unchanged, in lowercase ASCII", () => {
  fc.assert(
    fc.property(fc.oneof(pasted, fc.domain(), fc.webUrl(), fc.string()), (text) => {
      const name = read(text);
      if (name === null) return;
      expect(name).toMatch(/^[a-z0-9.-]+\.[a-z0-9-]+$/);
      expect(parseDomainName(name)).toBe(name);
    }),
    { numRuns: 2_000 },
  );
});
