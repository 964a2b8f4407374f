import { expect, test } from "vitest";

import { readStepCookie, stepCookie } from "./steps.ts";

test("only this host's own requests carry the cookie, for a limited time", () => {
  expect(stepCookie("console", "abc_-", 10)).toBe(
    "posthouse_step=abc_-; Max-Age=600; Path=/; HttpOnly; SameSite=Strict",
  );
  expect(stepCookie("console", "", 0)).toMatch(/^posthouse_step=; Max-Age=0;/);
});

test.each([
  ["posthouse_step=abc", "abc"],
  ["a=1; posthouse_step=abc; b=2", "abc"],
  ["a=1;posthouse_step=abc", "abc"],
  ["a_posthouse_step=abc", ""],
  ["posthouse_step", ""],
  ["", ""],
])("reads %j as %j", (header, token) => {
  expect(readStepCookie("console", header)).toBe(token);
});

test("a step at /account doesn't replace one of the console", () => {
  const pair = (setCookie: string) => setCookie.split(";")[0]!;
  const both = [stepCookie("console", "abc", 10), stepCookie("account", "def", 10)];
  const header = both.map(pair).join("; ");
  expect(readStepCookie("console", header)).toBe("abc");
  expect(readStepCookie("account", header)).toBe("def");
  expect(pair(stepCookie("account", "", 0))).toBe("posthouse_account_step=");
});
