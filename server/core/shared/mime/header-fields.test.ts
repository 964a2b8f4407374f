import { describe, expect, test } from "vitest";

import { addressField } from "#server/core/sending/compose/compose-message.ts";

import { customField, subjectField } from "./header-fields.ts";
import { Message } from "./message.ts";

test("keeps the last letter of a UTF-8 subject, whatever its last octet", () => {
  expect(new Message(Buffer.from("Subject:\t Et voilà \r\n\r\n")).header.subject).toBe("Et voilà");
});

const longest = (field: string) => Math.max(...field.split("\r\n").map((line) => line.length));

describe("subjectField", () => {
  test("folds a long subject before white space, within 78 characters", () => {
    const subject = "word ".repeat(100).trim();
    const field = subjectField(subject);

    expect(longest(field)).toBeLessThanOrEqual(78);
    expect(field.replaceAll("\r\n", "")).toBe(`Subject: ${subject}`);
  });

  test("writes encoded words of at most 75 characters, on lines of at most 76, of whole characters", () => {
    for (const subject of ["Ünïcödé ".repeat(60), "订单".repeat(200), "👩‍👩‍👧 ok ".repeat(50)]) {
      const field = subjectField(subject);
      const words = field.slice("Subject:".length).trim().split("\r\n ");

      expect(longest(field)).toBeLessThanOrEqual(76);
      for (const word of words) {
        expect(word).toMatch(/^=\?UTF-8\?[QB]\?[!-<>-~=]{1,63}\?=$/);
        expect(decoded(word)).not.toContain("\ufffd");
      }
      expect(words.map(decoded).join("")).toBe(subject);
    }
  });
});

describe("customField", () => {
  test("leaves ASCII as written", () => {
    expect(customField("X-Track", "=?utf-8?Q?a?=")).toBe("X-Track: =?utf-8?Q?a?=\r\n");
  });

  test("percent-encodes characters that a List-Unsubscribe URL can't contain", () => {
    expect(customField("List-Unsubscribe", "<https://shop.example/wég>")).toBe(
      "List-Unsubscribe: <https://shop.example/w%C3%A9g>\r\n",
    );
  });

  test.each([
    ["<https://Bücher.example/wég?a=ü>", "<https://xn--bcher-kva.example/w%C3%A9g?a=%C3%BC>"],
    ["<https://user@bücher.example:8443/>", "<https://user@xn--bcher-kva.example:8443/>"],
    ["<http://例え.テスト>", "<http://xn--r8jz45g.xn--zckzah>"],
    [
      "<mailto:ab@bücher.example?subject=ü>, <https://shop.example/?m=a@bü.example>",
      "<mailto:ab@xn--bcher-kva.example?subject=%C3%BC>, <https://shop.example/?m=a@b%C3%BC.example>",
    ],
  ])("writes hosts in List-Unsubscribe as A-labels: %s", (value, expected) => {
    const field = customField("list-unsubscribe", value);
    expect(field.replaceAll("\r\n", "")).toBe(`list-unsubscribe: ${expected}`);
  });

  test.each(["X-Any", "References", "List-Unsubscribe"])("splits an endless word in %s", (name) => {
    expect(longest(customField(name, "x".repeat(998)))).toBeLessThanOrEqual(998);
  });

  test("keeps a long message id whole if it fits on a line", () => {
    const id = `<${"x".repeat(900)}@shop.example>`;

    expect(customField("References", `<a@b> ${id}`)).toBe(`References: <a@b>\r\n ${id}\r\n`);
  });
});

describe("addressField", () => {
  test.each([
    ["Ann Lee", "Ann Lee <a@b.example>"],
    ["Lee, Ann", '"Lee, Ann" <a@b.example>'],
    ['Ann "A" \\ Lee', '"Ann \\"A\\" \\\\ Lee" <a@b.example>'],
    ["ann@b.example", '"ann@b.example" <a@b.example>'],
    ["Ann.", '"Ann." <a@b.example>'],
    ["Ann  Lee", '"Ann  Lee" <a@b.example>'],
    ["=?utf-8?Q?x?=", "=?UTF-8?B?PT91dGYtOD9RP3g/PQ==?= <a@b.example>"],
    ["Zoë", "=?UTF-8?Q?Zo=C3=AB?= <a@b.example>"],
    ["", "a@b.example"],
  ])("writes the name %j", (name, written) => {
    expect(addressField("From", [{ name, address: "a@b.example" }])).toBe(`From: ${written}\r\n`);
  });

  test("folds a list of addresses only between addresses", () => {
    const addresses = Array.from({ length: 50 }, (_, i) => ({
      name: `Person ${i}`,
      address: `"quoted local ${i}"@example.org`,
    }));
    const field = addressField("To", addresses);

    expect(longest(field)).toBeLessThanOrEqual(78);
    for (const { address } of addresses) expect(field).toContain(` <${address}>`);
  });
});

function decoded(word: string): string {
  const [, , encoding, payload = ""] = word.split("?");
  if (encoding === "B") return Buffer.from(payload, "base64").toString();
  const bytes = payload
    .replaceAll("_", " ")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
