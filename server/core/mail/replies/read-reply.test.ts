import { Message } from "#server/core/shared/mime/message.ts";
import { describe, expect, test } from "vitest";

import { readReply } from "./read-reply.ts";

const [FIRST, SECOND] = [
  "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11",
  "0198c0de-5b2c-7d4f-8a63-7e2f1c8b3d22",
] as const;

function read(fields: string[], { sender = "ben@example.org", to = ["a@shop.example"] } = {}) {
  const header = ["From: Ben <ben@example.org>", "Message-ID: <r@example.org>", ...fields];
  return readReply(new Message(Buffer.from(`${header.join("\r\n")}\r\n\r\nHi\r\n`)), sender, to);
}

describe("finds the email that a message names", () => {
  test("In-Reply-To first, then References from the last one", () => {
    const fields = [
      `References: <x@y> <${FIRST}@shop.example>\r\n <${SECOND.toUpperCase()}@shop.example>`,
      `In-Reply-To: <${FIRST}@shop.example>`,
    ];
    expect(read(fields)).toMatchObject({
      candidates: [
        { emailId: FIRST, messageId: `<${FIRST}@shop.example>` },
        { emailId: SECOND },
        { emailId: FIRST },
      ],
      messageId: "<r@example.org>",
      author: "ben@example.org",
      isAutomatic: false,
    });
  });

  test("the tag of an address that received it", () => {
    expect(read([], { to: [`a+${FIRST}@shop.example`] })).toMatchObject({
      candidates: [{ emailId: FIRST, messageId: null }],
    });
  });

  test.each([[[]], [["In-Reply-To: <CA+1@mail.example.org>"]], [[`Subject: <${FIRST}@x>`]]])(
    "no other message: %j",
    (fields) => {
      expect(read(fields)).toBeNull();
    },
  );
});

const named = `In-Reply-To: <${FIRST}@shop.example>`;

test.each([
  "Auto-Submitted: auto-replied",
  "Auto-Submitted: auto-generated; x=y",
  "Precedence: bulk",
  "X-Autoreply: yes",
  "X-Autorespond: 1",
])("%s is automatic, also from the null sender", (field) => {
  expect(read([named, field])).toMatchObject({ isAutomatic: true });
  expect(read([named, field], { sender: "" })).toMatchObject({ isAutomatic: true });
});

test.each(["Auto-Submitted: no", "Precedence: list", "X-Autoreply: no"])(
  "%s isn't automatic",
  (field) => {
    expect(read([named, field])).toMatchObject({ isAutomatic: false });
  },
);

test("bounces are no replies, also forwarded ones", () => {
  expect(read([named], { sender: "" })).toBeNull();
  expect(read([named, "Content-Type: multipart/report; boundary=x"])).toBeNull();
});

test("a hash stands for a missing Message-ID", () => {
  const message = Buffer.from(`From: b@example.org\r\n${named}\r\n\r\nHi\r\n`);
  expect(readReply(new Message(message), "b@example.org", [])?.messageId).toMatch(/^[0-9a-f]{64}$/);
});
