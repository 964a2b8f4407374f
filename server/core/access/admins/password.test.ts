import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";

import { isPassword, requireStrongPassword } from "./password.ts";

test.each([
  ["eleven char", "short"],
  ["ababababababab", "few different characters"],
  ["margarethe-1234", "the name in it"],
  ["x".repeat(201), "longer than the hash should chew on"],
])("refuses %s: %s", (password) => {
  expect(() => requireStrongPassword(password, ["Margarethe Ochs"])).toThrow(/^password: /);
});

test("takes a long phrase, whatever characters it is made of", () => {
  requireStrongPassword("correct horse battery", ["Ann Lee", "Example Ltd"]);
});

test("knows the password that was hashed, and no other", async () => {
  const passwordHash = await hash("correct horse battery", { memoryCost: 1024, timeCost: 1 });
  expect(await isPassword("correct horse battery", passwordHash)).toBe(true);
  expect(await isPassword("correct horse batter", passwordHash)).toBe(false);
});

test("nobody's password is right", async () => {
  expect(await isPassword("", null)).toBe(false);
});
