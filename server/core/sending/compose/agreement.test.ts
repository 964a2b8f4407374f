import * as fc from "fast-check";
import { simpleParser } from "mailparser";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { describe, expect, test } from "vitest";

import { aComposableEmail } from "#server/testing/composable-email.ts";

import { type ComposableEmail, composeMessage } from "./compose-message.ts";

/** What a recipient's mail app reads from a message. */
async function read(message: Buffer) {
  const mail = await simpleParser(message, { skipHtmlToText: true, skipTextToHtml: true });
  return {
    subject: mail.subject,
    from: mail.from?.value,
    to: [mail.to ?? []].flat().flatMap((field) => field.value),
    cc: [mail.cc ?? []].flat().flatMap((field) => field.value),
    replyTo: mail.replyTo?.value,
    messageId: mail.messageId,
    date: mail.date,
    // Body lines end with a line end, whether or not the text did.
    text: mail.text?.replace(/\n$/, ""),
    html: mail.html && mail.html.replace(/\n$/, ""),
  };
}

/** The parts of an email as lines, whatever their line endings. */
const linesOf = (text: string) => text.replace(/\r\n?/g, "\n").replace(/\n$/, "");

/** The same email composed by nodemailer. */
function composeByLibrary({ addressHeaders, ...email }: ComposableEmail): Promise<Buffer> {
  const composer = new MailComposer({
    ...addressHeaders,
    messageId: email.messageId,
    date: email.date,
    subject: email.subject,
    // nodemailer would drop a bare CR, which our composer treats as a line break.
    text: email.text?.replace(/\r\n?/g, "\n"),
    html: email.html?.replace(/\r\n?/g, "\n"),
    headers: email.headers,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

const line = fc.string({ unit: "binary", maxLength: 200 }).map((text) =>
  text
    .toWellFormed()
    .replace(/[\0-\x1f\x7f]/g, "")
    .trim(),
);
const body = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\r\n", "\n", "\r", ".", " ")))
  .map((pieces) => pieces.join("").toWellFormed().replaceAll("\0", ""));

async function expectAsWritten(email: ComposableEmail) {
  const { subject, from, text, html } = await read(await composeMessage(email));
  expect({ subject: subject ?? "", from, text: text ?? "", html: html || "" }).toEqual({
    subject: email.subject,
    from: [email.addressHeaders.from],
    text: linesOf(email.text ?? ""),
    html: linesOf(email.html ?? ""),
  });
}

async function expectAgreement(email: ComposableEmail) {
  const [ours, theirs] = await Promise.all([composeMessage(email), composeByLibrary(email)]);
  expect(await read(ours)).toEqual(await read(theirs));
}

const named = (name: string) => ({
  ...aComposableEmail().addressHeaders,
  from: { name, address: "orders@shop.example" },
});

const CORPUS: [string, Partial<ComposableEmail>][] = [
  ["plain text", {}],
  ["html alone", { text: null, html: "" }],
  ["text and html", { html: "<p>Thank <b>you</b></p>\n" }],
  ["umlauts", { subject: "Grüße aus Köln", text: "Größe", html: "<p>Größe</p>" }],
  ["Chinese", { subject: "您的订单已发货", text: "感谢您的订购。\n".repeat(40) }],
  ["emoji in a long subject", { subject: "🎉 Party! ".repeat(40).trim() }],
  ["a subject of one long word", { subject: "x".repeat(998) }],
  ["a long line", { text: "word ".repeat(1000) }],
  ["one word of 5,000 letters", { text: "a".repeat(5000) }],
  ["dots", { text: ".\n..\n.\nx\n.", html: "<p>\n.\n</p>" }],
  ["From lines", { text: "From me\nFrom you\n>From\n" }],
  ["white space at line ends", { text: "a \nb\t\n \n\n" }],
  ["bare carriage returns", { text: "a\rb\r\nc\nd\r" }],
  ["control characters", { text: "bell \u0007 escape \u001b[0m" }],
  ["equals signs and soft breaks", { text: "a=b=3D=\né=20" }],
  ["a name with comma", { addressHeaders: named("Doe, Jane") }],
  ["a name with quotes and backslash", { addressHeaders: named('Jane "JD" \\ Doe') }],
  ["a name with address signs", { addressHeaders: named("a@b.example <x>; (y)") }],
  ["a name with umlauts", { addressHeaders: named("Jürgen Groß, Köln") }],
  ["a name in Arabic", { addressHeaders: named("متجر الكتب") }],
  ["a long name", { addressHeaders: named("Very Long Company Name ".repeat(12).trim()) }],
];

describe("composeMessage agrees with nodemailer", () => {
  test.each(CORPUS)("%s", async (_, email) => {
    await expectAgreement(aComposableEmail(email));
  });

  test("fifty recipients with names", async () => {
    const to = Array.from({ length: 50 }, (_, i) => ({
      name: `Person Nº ${i}`,
      address: `person${i}@example.org`,
    }));

    await expectAgreement(
      aComposableEmail({
        addressHeaders: { ...aComposableEmail().addressHeaders, to, cc: to, replyTo: to },
      }),
    );
  });

  test("any subject, name and content", async () => {
    await fc.assert(
      fc.asyncProperty(line, line, body, body, async (subject, name, text, html) => {
        const email = aComposableEmail({ subject, text, html, addressHeaders: named(name) });
        await expectAgreement(email);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a parser reads composeMessage's output as the original input", () => {
  test.each(CORPUS)("%s", async (_, email) => {
    await expectAsWritten(aComposableEmail(email));
  });

  test("a subject that looks like an encoded word, or has white space around it", async () => {
    await expectAsWritten(aComposableEmail({ subject: "=?utf-8?Q?no?= really" }));
    await expectAsWritten(aComposableEmail({ subject: "  a b  " }));
  });

  test("any subject, name and content", async () => {
    await fc.assert(
      fc.asyncProperty(line, line, body, body, async (subject, name, text, html) => {
        await expectAsWritten(
          aComposableEmail({ subject, text, html, addressHeaders: named(name) }),
        );
      }),
      { numRuns: 150 },
    );
  });
});
