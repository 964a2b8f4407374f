import fc from "fast-check";
import { expect, test } from "vitest";

import { Message } from "./message.ts";

const read = (header: string) => new Message(Buffer.from(`${header}\r\n\r\nbody`, "latin1")).header;

test.each([
  ["ann@there.test", "ann@there.test", "there.test"],
  ["Ann <Ann@There.test>", "ann@there.test", "there.test"],
  ['"Smith, Ann" <ann@there.test>', "ann@there.test", "there.test"],
  ["Smith, Ann <ann@there.test>", "ann@there.test", "there.test"],
  ["ann@there.test (Ann, of (there))", "ann@there.test", "there.test"],
  ["boss@bank.test <ann@there.test>", "ann@there.test", "there.test"],
  ['"boss@bank.test" <ann@there.test>', "ann@there.test", "there.test"],
  ['"a\\"<boss@bank.test>" <ann@there.test>', "ann@there.test", "there.test"],
  ["(boss@bank.test) <ann@there.test>", "ann@there.test", "there.test"],
  ["=?utf-8?q?boss=40bank.test?= <ann@there.test>", "ann@there.test", "there.test"],
  ["Ann <ann@b\xc3\xbccher.test>", null, null],
  ["A..b@there.test", "a..b@there.test", "there.test"],
  ["Ann <.a.@there.test>", ".a.@there.test", "there.test"],
  ['Ann <"a,b"@there.test>', '"a,b"@there.test', "there.test"],
  ['"a..b"@there.test', "a..b@there.test", "there.test"],
  ['"Ann"@there.test', "ann@there.test", "there.test"],
  ['"boss@bank.test"@there.test', null, "there.test"],
  ['"boss" "x"@there.test', null, "there.test"],
  ['"a b"@there.test', null, "there.test"],
  ["ann@there.test\r\n\t(Ann)", "ann@there.test", "there.test"],
  ["root@my_host.There.test", null, "my_host.there.test"],
  ["root@nas", null, "nas"],
  ["ann@there.test, bob@there.test", null, null],
  ["boss@bank.test <>", null, null],
  ["<boss@bank.test> <ann@there.test>", null, null],
  ["team: ann@there.test;", null, null],
  ["Ann", null, null],
  ["", null, null],
])("From: %s", (value, from, fromDomain) => {
  expect(read(`Subject: x\r\nFrom: ${value}`)).toMatchObject({ from, fromDomain });
});

test("returns no author for two From fields", () => {
  expect(read("From: a@x.test\r\nfrom : b@x.test")).toMatchObject({
    from: null,
    fromDomain: null,
    fromFields: 2,
    fromAddresses: 2,
  });
});

test.each([
  ["=?utf-8?B?R3LDvMOfZQ==?=", "Grüße"],
  ["=?ISO-8859-1?Q?Gr=FC=DFe?= to =?iso-8859-1*de?q?_you?=", "Grüße to  you"],
  // A character split between two words.
  ["=?utf-8?q?=C3?= =?utf-8?q?=BC?=", "ü"],
  ["Gr\xc3\xbc\xc3\x9fe", "Grüße"],
  ["=?no-such-charset?q?x?=", "x"],
  ["two\r\n\tlines", "two\tlines".replace("\t", " ")],
  ["=?utf-8?q?=00=0D=0AX:_y?=", "X: y"],
])("Subject: %s", (value, subject) => {
  expect(read(`From: a@x.test\r\nSubject: ${value}`).subject).toBe(subject);
});

test("truncates displayed text and keeps the message id unchanged", () => {
  const { headerFrom, subject, messageId } = read(
    `From: ${"x".repeat(5_000)}\r\nSubject: ${"=?utf-8?q?=F0=9F=98=80?= ".repeat(2_000)}\r\nMessage-ID: <a@x>`,
  );
  expect(headerFrom).toHaveLength(998);
  expect(subject.length).toBeLessThan(999);
  expect(messageId).toBe("<a@x>");
});

test("never throws", () => {
  const text = fc.string({ unit: "binary-ascii", maxLength: 300 });
  const parts = fc.constantFrom(
    "From:",
    "Subject: ",
    "=?utf-8?q?",
    "?=",
    "<",
    ">",
    '"',
    "\r\n ",
    "\r\n",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(text, parts)), (pieces) => {
      expect(new Message(Buffer.from(pieces.join(""), "latin1")).header).toHaveProperty("subject");
    }),
  );
});
