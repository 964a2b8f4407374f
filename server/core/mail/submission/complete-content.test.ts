import { simpleParser } from "mailparser";
import { expect, test } from "vitest";

import { completeContent } from "./complete-content.ts";
import { readHeaderFields } from "./submitted-header.ts";

const ID = "01970000-0000-7000-8000-000000000000";
const complete = (message: string | Buffer) => {
  const { content, messageId } = completeContent(readHeaderFields(Buffer.from(message)), {
    id: ID,
    from: "ann@here.test",
    hostname: "mail.here.test",
    now: new Date("2026-03-04T10:15:00Z"),
  });
  return { text: content.toString("latin1"), messageId };
};
const DATE = "Wed, 04 Mar 2026 10:15:00 +0000";
const RECEIVED = `Received: by mail.here.test with ESMTPSA id ${ID};\r\n\t${DATE}\r\n`;

test("adds missing Date and Message-ID, with the trace field on top", () => {
  expect(complete("From: ann@here.test\r\n\r\nHello\r\n")).toEqual({
    text: `${RECEIVED}Date: ${DATE}\r\nMessage-ID: <${ID}@here.test>\r\nFrom: ann@here.test\r\n\r\nHello\r\n`,
    messageId: `<${ID}@here.test>`,
  });
});

test("converts header fields that aren't UTF-8, and nothing else", () => {
  const bytes = Buffer.from(
    "Subject: caf\xe9 \x80 2\r\nX-Good: \xc3\xa9\r\n\r\nno\xebl\r\n",
    "latin1",
  );
  const { text } = complete(bytes);
  expect(Buffer.from(text, "latin1").toString()).toContain("Subject: café € 2\r\nX-Good: é\r\n");
  expect(text).toContain("\r\n\r\nno\xebl\r\n");
});

test("leaves everything else unchanged", () => {
  const header =
    "date: 4 Mar 26 10:15 EST\r\nMESSAGE-ID:  <a@b>\r\nX-Odd  :\u00ff\r\n \t folded\r\nSubject:\r\n";
  const body = "\r\n\u0001\u00fe.\r\n\r\n no end";
  const bytes = Buffer.from(header + body);
  expect(complete(bytes)).toEqual({
    text: RECEIVED + bytes.toString("latin1"),
    messageId: "<a@b>",
  });
});

test("removes Bcc, and fields that only receiving servers write", () => {
  const kept =
    "From: a@b.test\r\nX-Other: 1\r\nAuthentication-Results: mail.there.test; spf=pass\r\n";
  const { text } = complete(
    [
      `Date: ${DATE}`,
      "Message-ID: <a@b>",
      "Bcc: bob@there.test,",
      "\tcarl@there.test",
      "Delivered-To: ann@here.test",
      "X-Original-To: a@here.test",
      "Envelope-To: a@here.test",
      "BCC : dan@there.test",
      "Resent-Bcc: x@there.test",
      "Return-Path: <eve@there.test>",
      "X-Posthouse-Junk: yes",
      "x-posthouse-spam: 1",
      "Authentication-Results: mail.here.test; dkim=pass",
      "authentication-results: MAIL.here.test 1; dkim=pass",
      "Authentication-Results: (a (nested) comment) mail.here.test; dkim=pass",
      'Authentication-Results: "mail.here.test"; dkim=pass',
      "Authentication-Results: (comment) mail(here).here(too).test; dkim=pass",
    ].join("\r\n") + `\r\n${kept}\r\ntext`,
  );
  expect(text).toBe(`${RECEIVED}Date: ${DATE}\r\nMessage-ID: <a@b>\r\n${kept}\r\ntext`);
});

test("ends the header of a message without body", () => {
  expect(complete("From: ann@here.test\r\n").text).toBe(
    `${RECEIVED}Date: ${DATE}\r\nMessage-ID: <${ID}@here.test>\r\nFrom: ann@here.test\r\n\r\n`,
  );
});

test.each([
  ["From ann@here.test Sat Nov 28 22:00:00 2026"],
  [">From ann@here.test Sat Nov 28 22:00:00 2026"],
  ["From - Sat Nov 28 22:00:00 2026"],
])("drops %s on top", (line) => {
  const rest = "From : ann@here.test\r\nFrom : x\r\n\r\nFrom me\r\n";
  expect(complete(`${line}\r\n${rest}`)).toEqual(complete(rest));
  expect(complete(rest).text).toContain(rest);
});

test.each([
  ["", [`<${ID}@here.test>`]],
  ["49b02871@there.test", ["<49b02871@there.test>"]],
  ["(x) 49b02871@there.test", ["<49b02871@there.test>"]],
  ["<49b02871@there.test", ["<49b02871@there.test>"]],
  ["<49b02871>", ["<49b02871@here.test>"]],
  ["49b02871", ["<49b02871@here.test>"]],
  ["<>", [`<${ID}@here.test>`]],
  ["<a b@there.test>", [`<${ID}@here.test>`]],
  ["<ü@there.test>", [`<${ID}@here.test>`]],
  [`<${"x".repeat(1_000)}@there.test>`, [`<${ID}@here.test>`]],
  ["<a@b> <c@d>", ["<a@b>"]],
  ["x\r\nmessage-id: <a@b>\r\nMessage-ID: <c@d>", ["<a@b>"]],
  ["<a@b>\r\nMessage-ID: <a@b>", ["<a@b>"]],
  ["<a@b@[127.0.0.1]>", ["<a@b@[127.0.0.1]>"]],
])("writes Message-ID: %s as one valid field", (value, expected) => {
  const { text, messageId } = complete(`Message-ID: ${value}\r\nFrom: ann@here.test\r\n\r\n`);
  expect(text.match(/(?<=^Message-ID: ).*(?=\r$)/gim)).toEqual(expected);
  expect(messageId).toBe(expected[0]);
});

test.each([
  ["Sat, 28 Nov 2026 22:00:00 +0100 (CET)", true],
  ["28 Nov 26 22:00 EST", true],
  ["Sat , 28  Nov 2026 22:00:00 CEST", true],
  ["Tue, 29 Feb 2028 23:59:60 -0000", true],
  ["", false],
  ["28.11.2026", false],
  ["2026-11-28T22:00:00Z", false],
  ["Sat, 28 Nov 2026 22:00:00", false],
  ["Sat, 28 Nov 2026 24:00:00 +0000", false],
  ["Sun, 29 Feb 2026 22:00:00 +0000", false],
  ["Sat, 0 Nov 2026 22:00:00 +0000", false],
  ["Sa, 28 Nov 2026 22:00:00 +0000", false],
  ["Saturday, 28. November 2026 22:00:00 +0100", false],
  ["%{date}\r\nDATE: Sat, 28 Nov 2026 22:00:00 GMT", true],
])("writes Date: %s as one valid field", (value, isKept) => {
  const { text } = complete(`Date: ${value}\r\nDate: x\r\nFrom: ann@here.test\r\n\r\n`);
  const dates = text.match(/(?<=^Date: ).*(?=\r$)/gim);
  expect(dates).toEqual([isKept ? value.split("DATE: ").at(-1) : DATE]);
});

test("encodes a line over 998 octets without changing the content", async () => {
  const html = `<p>${"ü word ".repeat(300)}</p>`;
  const { text } = complete(
    `Date: ${DATE}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`,
  );
  expect(text.split("\r\n").every((line) => line.length <= 998)).toBe(true);
  const mail = await simpleParser(Buffer.from(text, "latin1"));
  expect(String(mail.html).trim()).toBe(html);
});
