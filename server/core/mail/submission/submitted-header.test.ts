import { expect, test } from "vitest";

import { readHeaderFields, readSubmittedAuthor } from "./submitted-header.ts";

const author = (header: string) =>
  readSubmittedAuthor(readHeaderFields(Buffer.from(`${header}\r\n\r\ntext\r\n`)).fields);

const FROM = "ann@here.test";

test.each([
  "From: ann@here.test",
  "From: <ANN@Here.Test>",
  "FROM : Ann Example <ann@here.test>",
  'From: "Example, Ann" <ann@here.test>',
  "From: =?utf-8?q?J=C3=B6rg?= <ann@here.test>",
  "From: =?UTF-8?B?SsO2cmc=?=\r\n =?UTF-8?B?IMOE?= <ann@here.test>",
  'From: "=?utf-8?q?J=C3=B6rg?=" <ann@here.test>',
  "From: Jörg\r\n\t<ann@here.test>",
  'From: "ann@here.test" <ann@here.test>',
  "From: =?utf-8?q?bob=40there=2Etest?= <ann@here.test>",
  'From: "bob@there.test" <ann@here.test>',
  'From: "jane@home" <ann@here.test>',
  'From: "Max (max@there.test) via Cloud" <ann@here.test>',
  'From: "Bob <bob@there.test>" <ann@here.test>',
  "From: Ann Tom & Jerry <ann@here.test>",
])("sends %s as it is", (header) => {
  const { from, fields } = author(`Subject: x\r\n${header}`);
  expect(from.address).toBe(FROM);
  expect(Buffer.concat(fields.map(({ bytes }) => bytes)).toString()).toBe(
    `Subject: x\r\n${header}\r\n`,
  );
});

test.each([
  ["ann@here.test <ann@here.test>", '"ann@here.test" <ann@here.test>'],
  ["Example, Ann <ann@here.test>", '"Example, Ann" <ann@here.test>'],
  ["Shop; News <Ann@here.test>", '"Shop; News" <Ann@here.test>'],
  ["Ann (bob@there.test) <ann@here.test>", '"Ann (bob@there.test)" <ann@here.test>'],
  ["ann@here.test (cron)", "cron <ann@here.test>"],
  ["ann@here.test (bob@there.test)", '"bob@there.test" <ann@here.test>'],
  ["(bob@there.test) ann@here.test", '"bob@there.test" <ann@here.test>'],
  ["ann(cron)@here.test", "cron <ann@here.test>"],
  ["=?utf-8?q?Example,_Ann?= <ann@here.test>", '"Example, Ann" <ann@here.test>'],
  ["=?utf-8?q?=C3=B6,_x?= <ann@here.test>", "=?UTF-8?B?w7YsIHg=?= <ann@here.test>"],
])("rewrites %s", (value, rewritten) => {
  const { from, sender, fields } = author(`From: ${value}\r\nSender: ${value}\r\nSubject: x`);
  expect([from.address, sender?.address]).toEqual([FROM, FROM]);
  expect(Buffer.concat(fields.map(({ bytes }) => bytes)).toString()).toBe(
    `From: ${rewritten}\r\nSender: ${rewritten}\r\nSubject: x\r\n`,
  );
});

const PROBLEM = /^(From|Sender) must be a valid email address, with or without a display name$/;

test.each([
  ["no From", "Subject: x", /one From field, not 0/],
  ["an empty one", "From:", PROBLEM],
  ["two fields", "From: ann@here.test\r\nFrom: bob@here.test", /one From field, not 2/],
  ["two, one written the old way", "From: ann@here.test\r\nfrom  : bob@here.test", /not 2/],
  ["two addresses", "From: ann@here.test, bob@here.test", PROBLEM],
  ["two in angle brackets", "From: <ann@here.test> <bob@here.test>", PROBLEM],
  ["a name without address", "From: root (Cron Daemon)", PROBLEM],
  ["a bare address before another", "From: bob@there.test <ann@here.test>", PROBLEM],
  ["an encoded word in a domain", "From: <ann@=?utf-8?q?here?=.test>", PROBLEM],
  ["a NUL in disguise", "From: =?utf-8?q?a?= \u0000<ann@here.test>", PROBLEM],
  [
    "two senders",
    "From: ann@here.test\r\nSender: ann@here.test\r\nSender: bob@here.test",
    /Sender/,
  ],
  [
    "a sender that is a list",
    "From: ann@here.test\r\nSender: ann@here.test, bob@here.test",
    PROBLEM,
  ],
  ["a line that is no field", "From: ann@here.test\r\nFrom bob@here.test", /not a field/],
  ["a field with a strange name", "From: ann@here.test\r\nFr\u00f6m: x", /not a field/],
  ["a header that begins with a space", " From: bob@here.test\r\nFrom: ann@here.test", /a space/],
])("rejects %s", (_, header, message) => {
  expect(() => author(header)).toThrow(message);
});
