import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { envelopeSender, parseEnvelopeSender } from "./envelope-sender.ts";

test("an envelope sender leads back to its email and keeps to the length of RFC 5321", () => {
  const id = randomUUID();
  const address = envelopeSender(id, "mail.example.com");
  expect(address).toMatch(/^bounce\+[0-9a-f]{32}@mail\.example\.com$/);
  expect(address.split("@")[0]!.length).toBeLessThanOrEqual(64);
  expect(parseEnvelopeSender(address)).toBe(id);
  expect(parseEnvelopeSender(address.toUpperCase())).toBe(id);
});

test.each(["", "ann@example.com", "bounce+@example.com", "bounce+123@example.com", "x-bounce+"])(
  "%s is not one of ours",
  (address) => expect(parseEnvelopeSender(address)).toBeNull(),
);
