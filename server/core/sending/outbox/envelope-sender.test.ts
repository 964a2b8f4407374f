import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { envelopeSender, parseEnvelopeSender } from "./envelope-sender.ts";

test("an envelope sender identifies its email and stays within the length limit of RFC 5321", () => {
  const id = randomUUID();
  const address = envelopeSender(id, "mail.example.com");
  expect(address).toMatch(/^bounce\+[0-9a-f]{48}@mail\.example\.com$/);
  expect(address.split("@")[0]!.length).toBeLessThanOrEqual(64);
  expect(parseEnvelopeSender(address)).toBe(id);
  expect(parseEnvelopeSender(address.toUpperCase())).toBe(id);
});

test("forged or altered addresses are rejected", () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const address = envelopeSender(mine, "mail.example.com");
  const forged = address.replace(mine.replaceAll("-", ""), other.replaceAll("-", ""));
  expect(parseEnvelopeSender(forged)).toBeNull();
  const at = address.indexOf("@") - 1;
  const changed = address.slice(0, at) + (address[at] === "0" ? "1" : "0") + address.slice(at + 1);
  expect(parseEnvelopeSender(changed)).toBeNull();
  expect(parseEnvelopeSender(`bounce+${mine.replaceAll("-", "")}@mail.example.com`)).toBeNull();
});

test.each(["", "ann@example.com", "bounce+@example.com", "bounce+123@example.com", "x-bounce+"])(
  "%s is not an envelope sender of this instance",
  (address) => expect(parseEnvelopeSender(address)).toBeNull(),
);
