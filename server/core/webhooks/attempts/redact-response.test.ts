import { expect, test } from "vitest";

import { redactResponse } from "./redact-response.ts";

const endpoint = "https://hooks.example.com/v1/Secret%20Room/tok?key=topsecret&a=1&long-pair=x";
const shown = (text: string | Buffer, isCut = false, at = endpoint) =>
  redactResponse(Buffer.from(text), { endpoint: at, isCut });

test("keeps the first five hundred characters of a response", () => {
  expect(shown("received")).toBe("received");
  expect(shown("ø".repeat(600))).toBe("ø".repeat(500));
  expect(shown("")).toBe("");
});

test.each([
  ["path and query", "/v1/Secret%20Room/tok?key=topsecret&a=1&long-pair=x"],
  ["the path", "/v1/Secret%20Room/tok"],
  ["the query", "?key=topsecret&a=1&long-pair=x"],
  ["the query without its mark", "key=topsecret&a=1&long-pair=x"],
  ["a segment", "Secret%20Room"],
  ["a segment, decoded", "Secret Room"],
  ["a pair", "key=topsecret"],
  ["a pair with a short value", "long-pair=x"],
  ["a value", "topsecret"],
  ["a value in capitals", "TOPSECRET"],
  ["a path in JSON, as PHP writes it", String.raw`\/v1\/Secret%20Room\/tok`],
  ["a query in HTML", "key=topsecret&amp;a=1&amp;long-pair=x"],
])("removes %s of the endpoint", (_what, secret) => {
  expect(shown(`before ${secret} behind`)).toBe("before *** behind");
});

test("keeps parts under six characters, which are likely words", () => {
  expect(shown("tok v1 a=1 key")).toBe("tok v1 a=1 key");
});

test("removes non-ASCII parts as written, percent-encoded and as JSON escapes", () => {
  const at = `https://hooks.example.com/${encodeURIComponent("påskeløb")}`;
  const forms = ["påskeløb", "p%C3%A5skel%C3%B8b", "p%c3%a5skel%c3%b8b", "p\\u00e5skel\\u00f8b"];
  for (const form of forms) expect(shown(`x ${form} y`, false, at)).toBe("x *** y");
});

test("redacts before truncating, so that no part of a secret remains at the end", () => {
  expect(shown("x".repeat(495) + "topsecret")).toBe("x".repeat(495) + "***");
  expect(shown("x".repeat(499) + "topsecret")).toBe("x".repeat(499) + "*");
});

test("removes the beginning of a secret at the end of the response", () => {
  expect(shown("page: topsecr", true)).toBe("page: ");
  expect(shown("page: topsecr")).toBe("page: topsecr");
  const at = `https://hooks.example.com/${encodeURIComponent("påskeløb")}`;
  expect(shown(Buffer.from("x påskelø").subarray(0, -1), true, at)).toBe("x ");
});

test("tolerates NULs, control characters and invalid UTF-8, which can't hide a secret", () => {
  expect(shown("a\0b\u001b[31m\nc\t")).toBe("a\ufffdb\ufffd[31m\nc\t");
  expect(shown(Buffer.from([0x61, 0xff, 0x62]))).toBe("a\ufffdb");
  expect(shown("topsecret".replaceAll("", "\0"))).not.toContain("topsecret");
  expect(shown("x".repeat(499) + "🐣")).toBe("x".repeat(499));
});

test("keeps the response of an endpoint without path and query unchanged", () => {
  expect(shown("a/b", false, "https://hooks.example.com/")).toBe("a/b");
});
