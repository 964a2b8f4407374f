import { expect, test } from "vitest";

import type { SecureAnswer } from "#server/gateways/secure-dns.ts";

import { checkDnssec } from "./check-dnssec.ts";

const SERVER = { dnsServers: null, dnssec: "auto", localMode: false, relay: null } as const;
const resolver = (isSecure: boolean) => ({
  query: (): Promise<SecureAnswer> =>
    Promise.resolve({ kind: "found", answers: [], isSecure, ttlSeconds: 60 }),
});

test("says whether DANE applies, and what to do if it doesn't", async () => {
  expect(await checkDnssec(SERVER, resolver(true))).toEqual({
    part: "DNSSEC",
    state: "ok",
    found: "It validates DNSSEC, so DANE applies",
  });
  const advice = expect.stringContaining("unbound") as string;
  expect(await checkDnssec(SERVER, resolver(false))).toMatchObject({
    state: "ok",
    found: expect.stringContaining("doesn't validate") as string,
    advice,
  });
  expect(await checkDnssec(SERVER, null)).toMatchObject({
    state: "ok",
    found: expect.stringContaining("another machine") as string,
    advice,
  });
  expect(await checkDnssec({ ...SERVER, dnssec: "off" }, resolver(true))).not.toHaveProperty(
    "advice",
  );
});
