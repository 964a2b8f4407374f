import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { findHostName } from "./check-spam.ts";

const IPV6_LABELS = "8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.4.8.6.1.0.0.2";
let dns: FakeDns;
let resolver: Resolver;

beforeEach(async () => {
  dns = await aDnsServer({
    "4.3.2.1.in-addr.arpa": { PTR: ["other.example.org", "mx.example.org"] },
    "other.example.org": { A: ["1.2.3.5"] },
    "mx.example.org": { A: ["9.9.9.9", "1.2.3.4"] },
    [`${IPV6_LABELS}.ip6.arpa`]: { PTR: ["six.example.org"] },
    "six.example.org": { AAAA: ["2001:6848:0:0:0:0:0:8"] },
    "5.3.2.1.in-addr.arpa": { PTR: ["forged.example.org"] },
    "forged.example.org": { A: ["1.2.3.4"] },
  });
  resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
});

afterEach(() => dns.close());

test.each([
  ["1.2.3.4", "mx.example.org"],
  ["::ffff:1.2.3.4", "mx.example.org"],
  ["2001:6848::8", "six.example.org"],
  ["1.2.3.5", null],
  ["1.2.3.6", null],
])("%s resolves to %s", async (address, name) => {
  expect(await findHostName(resolver, address)).toBe(name);
});

test("doesn't look up private addresses", async () => {
  expect(await findHostName(resolver, "10.0.0.1")).toBeNull();
  expect(dns.questions).toEqual([]);
});

test("takes at most four seconds", async () => {
  vi.useFakeTimers();
  try {
    const never = () => new Promise<never>(() => {});
    const asked = findHostName({ resolve: never, a: never, aaaa: never }, "1.2.3.4");
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await asked).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
