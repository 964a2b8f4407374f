import { afterEach, expect, test, vi } from "vitest";

import type { SecureAnswer, SecureDns } from "#server/gateways/secure-dns.ts";

import { createTlsaFinder } from "./tlsa-finder.ts";

afterEach(() => {
  vi.useRealTimers();
});

const FAILED: SecureAnswer = { kind: "failed", reason: "SERVFAIL" };
const found = (isSecure: boolean): SecureAnswer => ({
  kind: "found",
  answers: [],
  isSecure,
  ttlSeconds: 60,
});

/** A resolver that validates, except for what the test sets for the root zone. */
function aResolver(root: SecureAnswer) {
  const answers = { root };
  const dns: SecureDns = {
    query: (name) => Promise.resolve(name === "." ? answers.root : found(true)),
  };
  return { answers, finder: createTlsaFinder(dns, 25) };
}

test("a resolver that failed at first is asked again soon whether it validates", async () => {
  vi.useFakeTimers();
  const { answers, finder } = aResolver(FAILED);
  expect(await finder.mxSecurity("there.test")).toEqual({ kind: "insecure" });
  answers.root = found(true);
  vi.advanceTimersByTime(60_000);
  expect(await finder.mxSecurity("there.test")).toMatchObject({ kind: "secure" });
});

test("a resolver that validated is taken to validate until it says otherwise", async () => {
  vi.useFakeTimers();
  const { answers, finder } = aResolver(found(true));
  await finder.mxSecurity("there.test");
  answers.root = FAILED;
  vi.advanceTimersByTime(3_600_000);
  expect(await finder.mxSecurity("there.test")).toMatchObject({ kind: "secure" });
  answers.root = found(false);
  vi.advanceTimersByTime(3_600_000);
  expect(await finder.mxSecurity("there.test")).toEqual({ kind: "insecure" });
});
