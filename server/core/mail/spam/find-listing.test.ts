import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { findListing } from "./find-listing.ts";

const ZONES = ["bl.example.org", "dead.example.net"];
let dns: FakeDns;
let resolver: Resolver;

beforeEach(async () => {
  dns = await aDnsServer();
  resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
});

afterEach(() => dns.close());

test("looks up the reversed address and returns the first list that has it", async () => {
  dns.records["4.3.2.1.bl.example.org"] = { A: ["127.0.0.2"] };
  dns.records["4.3.2.1.dead.example.net"] = { A: ["127.0.0.3"] };
  expect(await findListing(resolver, "1.2.3.4", ZONES)).toBe("bl.example.org");
  expect(dns.questions.sort()).toEqual(["A 4.3.2.1.bl.example.org", "A 4.3.2.1.dead.example.net"]);
});

test("looks up IPv6 by hex digits, and IPv4-mapped addresses as IPv4", async () => {
  const digits = "8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.4.8.6.1.0.0.2";
  dns.records[`${digits}.bl.example.org`] = { A: ["127.0.0.4"] };
  dns.records["8.8.8.8.bl.example.org"] = { A: ["127.0.0.4"] };
  expect(await findListing(resolver, "2001:6848::8", ZONES)).toBe("bl.example.org");
  expect(await findListing(resolver, "::ffff:8.8.8.8", ZONES)).toBe("bl.example.org");
});

describe("does not count as a listing", () => {
  test.each([
    ["the list's word that it was asked wrongly", ["127.255.255.254"]],
    ["an answer outside 127.0.0.0/8", ["203.0.113.9"]],
    ["no name", null],
    ["no data", []],
    ["a failure", "SERVFAIL"],
    ["silence", "TIMEOUT"],
  ] as const)("%s", async (_, answer) => {
    if (answer !== null)
      dns.records["4.3.2.1.bl.example.org"] = {
        A: typeof answer === "string" ? answer : [...answer],
      };
    expect(await findListing(resolver, "1.2.3.4", ZONES)).toBeNull();
  });
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "192.168.7.7",
  "::1",
  "fe80::1",
  "::ffff:10.0.0.1",
  "nonsense",
])("never looks up %s", async (address) => {
  expect(await findListing(resolver, address, ZONES)).toBeNull();
  expect(dns.questions).toEqual([]);
});

test("caches answers but not failures", async () => {
  dns.records["4.3.2.1.bl.example.org"] = { A: ["127.0.0.2"] };
  dns.records["4.3.2.1.dead.example.net"] = "SERVFAIL";
  await findListing(resolver, "1.2.3.4", ZONES);
  dns.questions.length = 0;

  expect(await findListing(resolver, "1.2.3.4", ZONES)).toBe("bl.example.org");
  expect(new Set(dns.questions)).toEqual(new Set(["A 4.3.2.1.dead.example.net"]));
});

test("takes at most five seconds, whatever the resolver's timeout", async () => {
  vi.useFakeTimers();
  try {
    const silent = { a: () => new Promise<never>(() => {}) };
    const asked = findListing(silent, "1.2.3.4", ZONES);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await asked).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
