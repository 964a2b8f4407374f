import { expect, test } from "vitest";

import { readHeaderFields } from "./header-fields.ts";
import { readAuthor } from "./read-author.ts";

const read = (header: string) =>
  readAuthor(readHeaderFields(Buffer.from(`${header}\r\n\r\ntext\r\n`)).fields);

test.each([
  ["From: ann@here.test", "ann@here.test"],
  ["From: <ANN@Here.Test>", "ann@here.test"],
  ["FROM : Ann Example <ann@here.test>", "ann@here.test"],
  ['From: "Example, Ann" <ann@here.test>', "ann@here.test"],
  ["From: =?utf-8?q?J=C3=B6rg?= <joerg@here.test>", "joerg@here.test"],
  ["From: =?UTF-8?B?SsO2cmc=?=\r\n =?UTF-8?B?IMOE?= <joerg@here.test>", "joerg@here.test"],
  ['From: "=?utf-8?q?J=C3=B6rg?=" <joerg@here.test>', "joerg@here.test"],
  ["From: Jörg\r\n\t<joerg@here.test>", "joerg@here.test"],
  ['From: "ann@here.test" <ann@here.test>', "ann@here.test"],
  ["From: =?utf-8?q?ann=40here=2Etest?= <ann@here.test>", "ann@here.test"],
  ['From: "ann@m\u00fcller.test" <ann@xn--mller-kva.test>', "ann@xn--mller-kva.test"],
])("%s", (header, from) => {
  expect(read(`Subject: x\r\n${header}`)).toEqual({ from, sender: null });
});

test.each([
  ["no From", "Subject: x"],
  ["an empty one", "From:"],
  ["two fields", "From: ann@here.test\r\nFrom: bob@here.test"],
  ["two fields, one written the old way", "From: ann@here.test\r\nfrom  : bob@here.test"],
  ["two addresses", "From: ann@here.test, bob@here.test"],
  ["two addresses, named", "From: Ann <ann@here.test>, Bob <bob@here.test>"],
  ["two in angle brackets", "From: <ann@here.test> <bob@here.test>"],
  ["a group", "From: team: ann@here.test;"],
  ["a comment behind", "From: ann@here.test (bob@there.test)"],
  ["a comment before", "From: (bob@there.test) ann@here.test"],
  ["a comment within", "From: ann(comment)@here.test"],
  ["a quoted local part", 'From: "ann"@here.test'],
  ["a quoted local part with another address", 'From: "bob@there.test"@here.test'],
  ["a route", "From: <@there.test:ann@here.test>"],
  ["an encoded word for an address", "From: =?utf-8?q?ann=40here=2Etest?="],
  ["an encoded word in an address", "From: <=?utf-8?q?bob=40there=2Etest=3E?=ann@here.test>"],
  ["an encoded word in a domain", "From: <ann@=?utf-8?q?here?=.test>"],
  ["a broken encoded word", "From: =?utf-8?q?x <ann@here.test>"],
  ["an encoded word with a bracket", "From: =?utf-8?q?<bob@there.test>?= <ann@here.test>"],
  ["a name that is another address", 'From: "bob@there.test" <ann@here.test>'],
  ["a name that shows another address", 'From: "Bob <bob@there.test>" <ann@here.test>'],
  ["an encoded one", "From: =?utf-8?b?Ym9iQHRoZXJlLnRlc3Q=?= <ann@here.test>"],
  ["one encoded in two words", "From: =?utf-8?q?bob=40?= =?utf-8?q?there=2Etest?= <ann@here.test>"],
  ["one with another at sign", "From: Bob bob\uff20there.test <ann@here.test>"],
  ["the same, encoded", "From: =?utf-8?q?bob=EF=BC=A0there=2Etest?= <ann@here.test>"],
  ["an encoded name that runs the other way", "From: =?utf-8?q?=E2=80=AEbob?= <ann@here.test>"],
  ["a name without end", `From: =?utf-8?q?${"b".repeat(1001)}?= <ann@here.test>`],
  ["a bare address before another", "From: bob@there.test <ann@here.test>"],
  ["a NUL in disguise", "From: =?utf-8?q?a?= \u0000<ann@here.test>"],
  ["text that runs the other way", "From: \u202eann\u202c <ann@here.test>"],
  ["full-width letters", "From: <ann@ｈere.test>"],
  ["two senders", "From: ann@here.test\r\nSender: ann@here.test\r\nSender: bob@here.test"],
  ["a sender that is a list", "From: ann@here.test\r\nSender: ann@here.test, bob@here.test"],
  ["a line that is no field", "From: ann@here.test\r\nFrom bob@here.test"],
  ["a field with a strange name", "From: ann@here.test\r\nFr\u00f6m: x"],
  ["a header that begins with a space", " From: bob@here.test\r\nFrom: ann@here.test"],
])("rejects %s", (_, header) => {
  expect(() => read(header)).toThrow(
    expect.objectContaining({ enhancedCode: expect.stringMatching(/^5\.(7\.1|6\.0)$/) as string }),
  );
});

test("returns the sender along with the author", () => {
  expect(read("From: ann@here.test\r\nSender: Bob <bob@here.test>")).toEqual({
    from: "ann@here.test",
    sender: "bob@here.test",
  });
});
