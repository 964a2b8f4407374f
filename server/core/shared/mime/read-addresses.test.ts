import fc from "fast-check";
import { expect, test } from "vitest";

import { formatAddresses, readAddresses } from "./read-addresses.ts";

const latin1 = (text: string) => Buffer.from(text).toString("latin1");
const word = (text: string) => `=?utf-8?b?${Buffer.from(text).toString("base64")}?=`;

test.each([
  // Encoded words never become syntax.
  [
    "=?utf-8?q?CEO_=3Cceo=40victim=2Ecom=3E=2C_x?= <bob@sender.net>",
    '"CEO <ceo@victim.com>, x" <bob@sender.net>',
  ],
  ["=?utf-8?q?Doe=2C_J=C3=BCrgen?= <bob@sender.net>", '"Doe, Jürgen" <bob@sender.net>'],
  [
    `${word('x" <ceo@victim.com>, "')} <bob@sender.net>`,
    '"x\\" <ceo@victim.com>, \\"" <bob@sender.net>',
  ],
  [`"${word('a" <ceo@victim.com>')}" <bob@sender.net>`, '"a\\" <ceo@victim.com>" <bob@sender.net>'],
  [`bob@sender.net (${word("a) <ceo@victim.com>")})`, '"a) <ceo@victim.com>" <bob@sender.net>'],
  [`${word("ceo@victim.com")} <bob@sender.net>`, '"ceo@victim.com" <bob@sender.net>'],
  [word("ceo@victim.com"), '"ceo@victim.com" <>'],
  [`${word("Ann\r\nBcc: x")} <bob@sender.net>`, '"Ann Bcc: x" <bob@sender.net>'],
  [`${word("Team: ceo@victim.com;")} <bob@sender.net>`, '"Team: ceo@victim.com;" <bob@sender.net>'],
  // Nor does text that isn't encoded.
  ["ceo@victim.com <bob@sender.net>", '"ceo@victim.com" <bob@sender.net>'],
  ['"CEO <ceo@victim.com>" <bob@sender.net>', '"CEO <ceo@victim.com>" <bob@sender.net>'],
  ["Bob <bob@sender.net> <ceo@victim.com>", '"Bob <bob@sender.net> <ceo@victim.com>" <>'],
  ['"Bob <ceo@victim.com>', '"Bob <ceo@victim.com>" <>'],
  ["ceo@victim.com <>", '"ceo@victim.com" <>'],
  // Other forms keep their text.
  ["bob@sender.net", "bob@sender.net"],
  ["Bob J. Smith <Bob@sender.net>", "Bob J. Smith <Bob@sender.net>"],
  ['"Bob" <bob@sender.net>', '"Bob" <bob@sender.net>'],
  ["Smith, Bob <bob@sender.net>", '"Smith, Bob" <bob@sender.net>'],
  [`=?utf-8?q?J=C3=BCrgen?= ${word("Müller")} <bob@sender.net>`, "JürgenMüller <bob@sender.net>"],
  [latin1("Jürgen Villà <jürgen@bücher.net>"), "Jürgen Villà <jürgen@bücher.net>"],
  ["bob@sender.net (Bob (of sales))", '"Bob (of sales)" <bob@sender.net>'],
  ["a@x.net, Bob <b@x.net>; c@x.net", "a@x.net, Bob <b@x.net>, c@x.net"],
  ["Team: a@x.net, Bob <b@x.net>;", "a@x.net, Bob <b@x.net>"],
  ['"john smith"@x.net, a..b@x.net, .a@x.net', '"john smith"@x.net, a..b@x.net, .a@x.net'],
  [
    "root@nas, x@[192.0.2.1], x@[IPv6:2001:db8::1]",
    "root@nas, x@[192.0.2.1], x@[IPv6:2001:db8::1]",
  ],
  ["News & Offers <news.shop.net>", "News & Offers <news.shop.net>"],
  ["undisclosed-recipients:;", "undisclosed-recipients:;"],
  ["Mailer Daemon", "Mailer Daemon"],
  ["", ""],
])("%s", (value, shown) => {
  expect(formatAddresses(value, 998)).toBe(shown);
});

test("reads members of groups and decodes names", () => {
  const list = `Team: =?utf-8?q?J=C3=BC?= <a@x.net>, "b c"@x.net;, d@x.net (D), ${word("e@x.net")}`;
  expect(readAddresses(list)).toEqual([
    { name: "Team: Jü", address: "a@x.net" },
    { name: "", address: '"b c"@x.net' },
    { name: "D", address: "d@x.net" },
  ]);
});

test("cuts long names and lists at their ends", () => {
  const long = formatAddresses(`${word("<ceo@victim.com>".repeat(90))} <bob@sender.net>`, 998);
  expect(long).toMatch(/^"[^"]{400,}" <bob@sender\.net>$/);
  const list = formatAddresses(Array.from({ length: 999 }, (_, i) => `a${i}@x.net`).join(","), 998);
  expect(list).toMatch(/^(a\d+@x\.net, )+a\d+@x\.net$/);
});

test("no name reads as an address, however it is written", () => {
  const pieces = fc.constantFrom(...'<>,;:"\\()@ '.split(""), "ceo@victim.com", "x");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (all) => {
      const shown = formatAddresses(`${word(all.join(""))} <bob@sender.net>`, 998);
      expect(shown.replace(/^"(?:[^"\\]|\\.)*" /, "")).toMatch(/^(x+ )*<?bob@sender\.net>?$/);
      expect(formatAddresses(latin1(shown), 998)).toBe(shown);
    }),
  );
});
