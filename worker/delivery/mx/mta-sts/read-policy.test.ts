import { expect, test } from "vitest";

import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";

import { matchesPolicy } from "./matches-policy.ts";
import { readPolicy } from "./read-policy.ts";

const lines = (...all: string[]) => all.join("\n");
const FINE = ["version: STSv1", "mode: enforce", "mx: mx.there.test", "max_age: 86400"];

test("parses a policy", () => {
  const text =
    "version: STSv1\r\nmode: enforce\r\nmx: MX.there.test\r\nmx: *.mail.test\r\nmax_age: 86400\r\n";

  expect(readPolicy(text)).toEqual({
    mode: "enforce",
    mx: ["mx.there.test", "*.mail.test"],
    maxAgeSeconds: 86400,
  });
});

test("parses our own policy", () => {
  expect(readPolicy(ownMtaStsPolicy({ hostname: "mail.here.test", tls: null }).text)).toEqual({
    mode: "testing",
    mx: ["mail.here.test"],
    maxAgeSeconds: 604_800,
  });
});

test("uses the first of a repeated field and ignores unknown ones", () => {
  const text = lines("mode:testing", ...FINE, "max_age: 1", "comment: a: b", "", "nonsense");

  expect(readPolicy(text)).toMatchObject({ mode: "testing", maxAgeSeconds: 86400 });
});

test("limits max_age to a year", () => {
  const text = lines(...FINE.slice(0, 3), "max_age: 9999999999");

  expect(readPolicy(text)?.maxAgeSeconds).toBe(31_557_600);
});

test("mode none needs no mail servers", () => {
  expect(readPolicy(lines("version: STSv1", "mode: none", "max_age: 60"))).toEqual({
    mode: "none",
    mx: [],
    maxAgeSeconds: 60,
  });
});

test.each([
  ["nothing", ""],
  ["a page", "<html><title>version: STSv1</title></html>"],
  ["no version", lines(...FINE.slice(1))],
  ["another version", lines("version: STSv2", ...FINE.slice(1))],
  ["no mode", lines(FINE[0]!, ...FINE.slice(2))],
  ["an unknown mode", lines("mode: strict", ...FINE)],
  ["no max_age", lines(...FINE.slice(0, 3))],
  ["half a second", lines(...FINE.slice(0, 3), "max_age: 0.5")],
  ["a time before now", lines(...FINE.slice(0, 3), "max_age: -1")],
  ["no mail server", lines(...FINE.filter((line) => !line.startsWith("mx")))],
  ["a mail server that can be none", lines(...FINE.with(2, "mx: a\u0000b"))],
  ["a wildcard in the middle", lines(...FINE.with(2, "mx: mx.*.test"))],
])("rejects a policy with %s", (_, text) => {
  expect(readPolicy(text)).toBeNull();
});

test.each([
  ["mx.there.test", true],
  ["a.mail.test", true],
  ["mail.test", false],
  ["a.b.mail.test", false],
  ["amail.test", false],
  ["mx.there.test.evil.test", false],
  ["test", false],
  ["", false],
])("the host %j matches mx.there.test or *.mail.test: %s", (host, matches) => {
  expect(matchesPolicy(host, ["mx.there.test", "*.mail.test"])).toBe(matches);
});
