import { generateKeyPairSync } from "node:crypto";

import * as fc from "fast-check";
import { dkimVerify } from "mailauth";
import { describe, expect, test } from "vitest";

import { composeMessage } from "#server/core/sending/compose/compose-message.ts";

import { signMessage } from "./dkim.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ed25519 = generateKeyPairSync("ed25519");
const rsaKey = { selector: "s2026", privateKey };
const edKey = { selector: "e2026", privateKey: ed25519.privateKey };
const domain = "shop.example";
const now = new Date("2026-11-21T01:02:03Z");

const HEADER = [
  "From: Shop <orders@shop.example>",
  "To: ann@example.org",
  "Subject: Your order",
  "Date: Sat, 21 Nov 2026 01:02:03 +0000",
  "Message-ID: <0190f3c2@shop.example>",
].join("\r\n");

const messageOf = (body: string, header = HEADER) =>
  Buffer.from(`${header}\r\n\r\n${body}`, "latin1");

const RECORDS = new Map([
  [
    "s2026._domainkey.shop.example",
    `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`,
  ],
  [
    "e2026._domainkey.shop.example",
    `v=DKIM1; k=ed25519; p=${Buffer.from(ed25519.publicKey.export({ format: "jwk" }).x!, "base64url").toString("base64")}`,
  ],
]);

/** The DKIM results of a receiving server, with the keys in its DNS. */
async function verdict(message: Buffer, at = now) {
  const { results } = await dkimVerify(message, {
    curTime: at,
    resolver: (name, type) => {
      const record = RECORDS.get(name);
      return record && type === "TXT"
        ? Promise.resolve([[record]])
        : Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    },
  });
  return results.map(({ status }) => status.result);
}

const signed = (message: Buffer, isAutomated = true) =>
  signMessage(message, { domain, keys: [rsaKey] }, { now, isAutomated });

describe("signMessage", () => {
  test.each([
    ["an empty body", ""],
    ["a body of line ends", "\r\n\r\n\r\n"],
    ["white space only", "  \t \r\n \r\n"],
    ["no line end at the end", "Hello"],
    ["blank lines at the end", "Hello\r\n\r\n \r\n\r\n"],
    ["blank lines at the beginning", "\r\n\r\nHello\r\n"],
    ["runs of white space", "a  b \t\t c\r\n\td\r\n   e\r\n"],
    ["white space at line ends", "a \r\nb\t\r\nc \t \r\n"],
    ["white space at the very end", "a\r\nb  "],
    ["dots", ".\r\n..\r\n.a\r\n"],
    ["8-bit bytes", "\xe4\xf6\xfc \xa0\xa0 \xff\r\n\xa0\r\n"],
    ["long lines", `${"x y  ".repeat(2000)}\r\n${"z".repeat(5000)}\r\n`],
    ["more than fits one slice", `${"line  \r\n".repeat(400_000)}\r\n\r\nend`],
    ["blank lines across slices", `a${"\r\n".repeat(1_000_000)}b${"\r\n".repeat(1_000_000)}`],
    ["a space that ends a slice", `${"a".repeat(1_048_575)} b`],
    ["a line end cut by a slice", `${" \r\n".repeat(800_000)}x`],
    ["spaces across slices", `a${" ".repeat(2_000_000)}b${" ".repeat(1_100_000)}\r\n`],
  ])("verifies with %s", async (_, body) => {
    expect(await verdict(await signed(messageOf(body)))).toEqual(["pass"]);
  });

  test.each([
    ["folded fields", "References: <a@b>\r\n  <c@d>\r\n\t<e@f>"],
    ["white space around", "Reply-To:   \t answers@shop.example  \t"],
    ["no space after the colon", "Reply-To:answers@shop.example"],
    ["an empty value", "Cc:"],
    ["odd case and space before the colon", "RePLy-to : answers@shop.example"],
    ["8-bit bytes", "Cc: J\xfcrgen \xe9\xff <j@example.org>"],
    ["fields that are there twice", "Cc: one@example.org\r\nCc: two@example.org"],
    ["List-Unsubscribe", "List-Unsubscribe: <https://x>\r\nList-Unsubscribe-Post: a=b"],
  ])("verifies with a header of %s", async (_, field) => {
    expect(await verdict(await signed(messageOf("Hi\r\n", `${HEADER}\r\n${field}`)))).toEqual([
      "pass",
    ]);
  });

  test("verifies for a header without body, to which receivers add the blank line", async () => {
    const message = await signed(Buffer.from(`${HEADER}\r\n`));

    expect(await verdict(Buffer.concat([message, Buffer.from("\r\n")]))).toEqual(["pass"]);
  });

  test("verifies for every composed email", async () => {
    const line = fc
      .string({ unit: "binary", maxLength: 300 })
      .map((text) => text.replace(/[\r\n\0]/g, ""));
    const body = fc
      .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\r\n", "\n", "\r", ".", " ")))
      .map((pieces) => pieces.join("").replaceAll("\0", ""));

    await fc.assert(
      fc.asyncProperty(line, line, body, body, fc.uint8Array(), async (...content) => {
        const [subject, name, text, html, bytes] = content;
        const from = { name, address: "orders@shop.example" };
        const file = { filename: name, contentType: null, content: Buffer.from(bytes) };
        const message = await composeMessage({
          messageId: "<0190f3c2@shop.example>",
          date: now,
          addressHeaders: { from, to: [from, from], cc: [from], replyTo: [from] },
          subject,
          text,
          html,
          headers: { "List-Unsubscribe": "<https://shop.example/u>", "X-Any": name },
          attachments: [
            { ...file, contentId: null },
            { ...file, contentId: "logo" },
          ],
          tracking: null,
        });
        expect(await verdict(await signed(message))).toEqual(["pass"]);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ["the body is altered", (message: string) => message.replace("Hello", "Hallo")],
    ["something is appended", (message: string) => `${message}PS\r\n`],
    ["From is altered", (message: string) => message.replace("From: Shop", "From: Shap")],
    ["another From is added", (message: string) => `From: <eve@shop.example>\r\n${message}`],
    [
      "another From is added below",
      (message: string) => message.replace("To:", "From: e@x\r\nTo:"),
    ],
    ["a To is added", (message: string) => `To: <eve@example.org>\r\n${message}`],
    ["a Cc is added", (message: string) => `Cc: <eve@example.org>\r\n${message}`],
    ["a Subject is added", (message: string) => `Subject: Win\r\n${message}`],
    ["a Date is added", (message: string) => `Date: Sun, 22 Nov 2026 01:02:03 +0000\r\n${message}`],
    ["a Content-Type is added", (message: string) => `Content-Type: text/html\r\n${message}`],
    [
      "a List-Unsubscribe is added",
      (message: string) => `List-Unsubscribe: <https://x>\r\n${message}`,
    ],
    [
      "a List-Unsubscribe-Post is added",
      (message: string) => `List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${message}`,
    ],
    ["its expiry is altered", (message: string) => message.replace("x=1795", "x=1796")],
    ["a Reply-To is added", (message: string) => `Reply-To: <eve@example.org>\r\n${message}`],
    ["Subject is altered", (message: string) => message.replace("Your order", "Your ordeal")],
    ["its own time is altered", (message: string) => message.replace("t=1795", "t=1794")],
  ])("no longer verifies if %s", async (_, tamper) => {
    const message = (await signed(messageOf("Hello\r\n"))).toString("latin1");
    const tampered = tamper(message);

    expect(tampered).not.toBe(message);
    expect(await verdict(Buffer.from(tampered, "latin1"))).not.toContain("pass");
  });

  test("covers the whole body, on lines of at most 78 characters", async () => {
    const field = (await signed(messageOf("Hello\r\n"))).toString("latin1").split("From: Shop")[0]!;

    expect(field).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed;\r\n/);
    expect(field).not.toMatch(/\bl=/);
    const names = / h=([^;]*);/.exec(field)![1]!.replace(/\s/g, "").split(":");
    expect(names).toEqual([
      "From",
      "From",
      "To",
      "To",
      "Cc",
      "Subject",
      "Subject",
      "Date",
      "Date",
      "Message-ID",
      "Reply-To",
      "Content-Type",
      "List-Unsubscribe",
      "List-Unsubscribe-Post",
    ]);
    expect(Math.max(...field.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(78);
  });

  test("leaves the message itself unchanged", async () => {
    const message = messageOf("a  \r\n\r\n");

    expect((await signed(message)).subarray(-message.length)).toEqual(message);
  });

  test("signs with both keys in one pass, RSA first, and each verifies", async () => {
    const signer = { domain, keys: [rsaKey, edKey] };
    const message = await signMessage(messageOf("Hello \r\n"), signer, { now, isAutomated: true });
    expect(message.toString("latin1").match(/a=\w+-sha256|\bs=\w+/g)).toEqual([
      "a=rsa-sha256",
      "s=s2026",
      "a=ed25519-sha256",
      "s=e2026",
    ]);
    expect(await verdict(message)).toEqual(["pass", "pass"]);
    const altered = Buffer.from(message.toString("latin1").replace("Hello", "Hallo"), "latin1");
    expect(await verdict(altered)).not.toContain("pass");
  });

  test("a signature expires after seven days", async () => {
    const day = 86_400_000;
    const message = await signed(messageOf("Hello"));
    expect(await verdict(message, new Date(now.getTime() + 6.9 * day))).toEqual(["pass"]);
    expect(await verdict(message, new Date(now.getTime() + 7.1 * day))).not.toContain("pass");
  });

  test("a mailing list may add its fields to what a person sent, but not to what a program did", async () => {
    const onList = (message: Buffer) =>
      Buffer.concat([Buffer.from("List-Unsubscribe: <https://list.example>\r\n"), message]);
    expect(await verdict(onList(await signed(messageOf("Hi"), false)))).toEqual(["pass"]);
    expect(await verdict(onList(await signed(messageOf("Hi"), true)))).not.toContain("pass");
    const newsletter = messageOf("Hi", `${HEADER}\r\nList-Unsubscribe: <https://shop.example/u>`);
    expect(await verdict(onList(await signed(newsletter, false)))).not.toContain("pass");
  });

  test("a message without keys stays unsigned, and other kinds of keys are rejected", async () => {
    const message = messageOf("Hello");
    const signing = { now, isAutomated: true };
    expect(await signMessage(message, { domain, keys: [] }, signing)).toBe(message);
    const { privateKey: other } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const keys = [{ selector: "x", privateKey: other }];
    await expect(signMessage(message, { domain, keys }, signing)).rejects.toThrow("neither RSA");
  });
});
