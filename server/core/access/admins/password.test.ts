import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";

import { passwordMatches, requireStrongPassword } from "./password.ts";

test.each([
  ["eleven char", "short"],
  ["ababababababab", "a repetition"],
  ["margarethe-1234", "the name in it"],
  ["x".repeat(201), "longer than 200 characters"],
  ["7788788778787", "few different characters"],
  ["password1234", "a common password with a number"],
  ["P@ssw0rd2026", "a common password in disguise"],
  ["1q2w3e4r5t6y", "a keyboard pattern"],
  ["hunter2hunter2", "a repeated common password"],
  ["p@ssw0rd".repeat(25), "a common password, repeated often"],
])("rejects %s: %s", async (password) => {
  await expect(requireStrongPassword(password, ["Margarethe Ochs"])).rejects.toThrow(/^password: /);
});

test.each(["correct horse battery", "tr0ub4dor&3-sails", "Wer-hat-den-Kuchen"])(
  "accepts %s",
  async (password) => {
    await requireStrongPassword(password, ["Ann Lee", "Example Ltd"]);
  },
);

test("accepts only the password that was hashed", async () => {
  const passwordHash = await hash("correct horse battery", { memoryCost: 1024, timeCost: 1 });
  expect(await passwordMatches("correct horse battery", passwordHash)).toBe(true);
  expect(await passwordMatches("correct horse batter", passwordHash)).toBe(false);
});

test("rejects any password without a hash", async () => {
  expect(await passwordMatches("", null)).toBe(false);
});
