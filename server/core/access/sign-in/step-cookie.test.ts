import { expect, test } from "vitest";

import { readStepCookie, stepCookie } from "./step-cookie.ts";

test("only this host's own requests carry the cookie, for a limited time", () => {
  expect(stepCookie("abc_-", 10)).toBe(
    "posthouse_step=abc_-; Max-Age=600; Path=/; HttpOnly; SameSite=Strict",
  );
  expect(stepCookie("", 0)).toMatch(/^posthouse_step=; Max-Age=0;/);
});

test.each([
  ["posthouse_step=abc", "abc"],
  ["a=1; posthouse_step=abc; b=2", "abc"],
  ["a=1;posthouse_step=abc", "abc"],
  ["a_posthouse_step=abc", ""],
  ["posthouse_step", ""],
  ["", ""],
])("reads %j as %j", (header, token) => {
  expect(readStepCookie(header)).toBe(token);
});
