import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";

import { passwordMatches, requireStrongPassword } from "./password.ts";

test.each([
  ["eleven char", "short"],
  ["ababababababab", "few different characters"],
  ["margarethe-1234", "the name in it"],
  ["x".repeat(201), "longer than 200 characters"],
])("rejects %s: %s", (password) => {
  expect(() => requireStrongPassword(password, ["Margarethe Ochs"])).toThrow(/^password: /);
});

test("accepts a long phrase of lowercase letters", () => {
  requireStrongPassword("correct horse battery", ["Ann Lee", "Example Ltd"]);
});

test("accepts only the password that was hashed", async () => {
  const passwordHash = await hash("correct horse battery", { memoryCost: 1024, timeCost: 1 });
  expect(await passwordMatches("correct horse battery", passwordHash)).toBe(true);
  expect(await passwordMatches("correct horse batter", passwordHash)).toBe(false);
});

test("rejects any password without a hash", async () => {
  expect(await passwordMatches("", null)).toBe(false);
});
