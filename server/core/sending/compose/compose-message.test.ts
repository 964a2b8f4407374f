import type { Worker } from "node:worker_threads";

import * as fc from "fast-check";
import { simpleParser } from "mailparser";
import { describe, expect, test } from "vitest";

import { aComposableEmail } from "#server/testing/composable-email.ts";

import { type ComposableEmail, composeMessage } from "./compose-message.ts";

const anEmail = (email: Partial<ComposableEmail> = {}) =>
  aComposableEmail({
    addressHeaders: {
      from: { name: "Shop, Inc.", address: "orders@shop.example" },
      to: [
        { name: "Ann Lee", address: "ann@example.org" },
        { name: "", address: "bob@example.org" },
      ],
      cc: [],
      replyTo: [],
    },
    ...email,
  });

const composed = async (email: Partial<ComposableEmail> = {}) =>
  (await composeMessage(anEmail(email))).toString("latin1");

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");

describe("composeMessage", () => {
  test("writes a plain email in the expected form", async () => {
    const message = await composed({ headers: { "X-Order": "17" } });

    expect(message).toBe(
      lines(
        'From: "Shop, Inc." <orders@shop.example>',
        "To: Ann Lee <ann@example.org>, bob@example.org",
        "Subject: Your order",
        "Date: Sat, 21 Nov 2026 01:02:03 +0000",
        "Message-ID: <0190f3c2@shop.example>",
        "X-Order: 17",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 7bit",
        "",
        "Thank you",
      ),
    );
  });

  test("writes text and html as alternatives, the text first", async () => {
    const message = await composed({ text: "Thank you", html: "<p>Thank you</p>" });

    const boundary = /boundary="([^"]+)"/.exec(message)?.[1] ?? "";
    expect(message.slice(message.indexOf("\r\n\r\n") + 4)).toBe(
      lines(
        `--${boundary}`,
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 7bit",
        "",
        "Thank you",
        `--${boundary}`,
        "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: 7bit",
        "",
        "<p>Thank you</p>",
        `--${boundary}--`,
      ),
    );
  });

  test("generates the text part from html if there is none", async () => {
    const message = await composed({ text: null, html: "<p>Thank <b>you</b></p>" });

    expect(message).toContain("text/plain");
    expect(message).toContain("\r\n\r\nThank you\r\n");
  });

  test("generates the text part of a large document in a worker thread", async () => {
    const threads: Worker[] = [];
    const remember = (worker: Worker) => threads.push(worker);
    process.on("worker", remember);
    await composeMessage(anEmail({ text: null, html: "<p>small</p>" }));
    expect(threads).toHaveLength(0);

    const html = `${"<p>word</p>".repeat(10_000)}<p>end</p>`;
    const mail = await simpleParser(await composeMessage(anEmail({ text: null, html })));

    expect(mail.text).toMatch(/^word\n\nword[^]*word\n\nend$/);
    expect(threads).toHaveLength(1);
    process.off("worker", remember);
    await threads[0]?.terminate();
  });

  test.each([
    ['""', { text: "", html: "<p>x</p>" }],
    ["nothing to be read in html", { text: null, html: "<img src=x>" }],
  ])("writes no text part for %s", async (_, content) => {
    expect(await composed(content)).toMatch(/Content-Type: text\/html/);
    expect(await composed(content)).not.toMatch(/text\/plain|multipart/);
  });

  test("writes the same bytes each time", async () => {
    const email = anEmail({ html: "<p>é</p>" });

    expect(await composeMessage(email)).toEqual(await composeMessage(email));
  });

  test("never uses a boundary that a part contains", async () => {
    const usual = /boundary="([^"]+)"/.exec(await composed({ html: "<p>x</p>" }))?.[1] ?? "";
    const text = `--${usual}--\n--${usual}\nContent-Type: text/html\n\nforged`;

    const mail = await simpleParser(await composeMessage(anEmail({ text, html: "<p>x</p>" })), {
      skipHtmlToText: true,
    });

    expect(mail).toMatchObject({ text, html: "<p>x</p>" });
  });

  test.each([
    ["ASCII with short lines", "Hello\n\tyou", "7bit"],
    ["a line of 900", "x".repeat(900), "7bit"],
    ["a line over 900", "x".repeat(901), "quoted-printable"],
    ["some umlauts", "Schöne Grüße aus dem Ruhrgebiet", "quoted-printable"],
    ["another script", "感谢您的订购", "base64"],
    ["a control character", "a\u0007b", "quoted-printable"],
    ["a line that mailbox files alter", "Hi\nFrom here on", "quoted-printable"],
  ])("encodes %s with the most suitable encoding", async (_, text, encoding) => {
    expect(await composed({ text })).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`);
  });

  test.each([
    ["a subject", { subject: "Hi\r\nBcc: eve@example.org" }],
    ["a subject with a bare CR", { subject: "Hi\rBcc: eve@example.org" }],
    ["a subject with NUL", { subject: "Hi\0" }],
    ["a header value", { headers: { "X-A": "b\nBcc: eve@example.org" } }],
    ["a header name", { headers: { "X-A: b\r\nBcc": "eve@example.org" } }],
    ["a Message-ID", { messageId: "<a@b>\r\nBcc: eve@example.org" }],
  ])("throws on a line break in %s", async (_, email) => {
    await expect(composeMessage(anEmail(email))).rejects.toThrow();
  });

  test.each([
    ["name", { name: "Eve\r\nBcc: eve@example.org", address: "eve@example.org" }],
    ["address", { name: "", address: "eve@example.org>\r\nBcc: <eve@example.org" }],
  ])("throws on a line break in the %s of an address", async (_, from) => {
    const email = anEmail();
    email.addressHeaders.from = from;

    await expect(composeMessage(email)).rejects.toThrow();
  });

  test("stays within SMTP's line length and byte limits, whatever the email contains", async () => {
    const value = fc
      .string({ unit: "binary", maxLength: 998 })
      .map((text) => text.replace(/[\r\n\0]/g, ""));
    const body = fc
      .array(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom("\r\n", "\n", "\r", ".", "\n.", " ", "\t", "From ", "x".repeat(1000)),
        ),
      )
      .map((pieces) => pieces.join("").replaceAll("\0", ""));

    await fc.assert(
      fc.asyncProperty(
        value,
        value,
        value,
        body,
        body,
        async (subject, name, header, text, html) => {
          const { addressHeaders } = anEmail();
          const message = await composed({
            subject,
            text,
            html,
            addressHeaders: { ...addressHeaders, from: { name, address: "a@b.example" } },
            headers: { "X-Any": header, "List-Unsubscribe": header, References: header },
          });

          expect(message).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/);
          expect(namesOf(message)).toEqual(
            ["From", "To", "Subject", "Date", "Message-ID", "X-Any", "List-Unsubscribe"].concat(
              ["References", "MIME-Version", "Content-Type"],
              message.includes("boundary=") ? [] : ["Content-Transfer-Encoding"],
            ),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

const namesOf = (message: string) =>
  message
    .slice(0, message.indexOf("\r\n\r\n"))
    .replace(/\r\n[ \t]+\S/g, "")
    .split("\r\n")
    .map((line) => line.slice(0, line.indexOf(":")));
