import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { followSpf } from "./follow-spf.ts";

let dns: FakeDns;
const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `c${at}.test`,
      { TXT: [`v=spf1 include:c${at + 1}.test ~all`] },
    ]),
  );

beforeAll(async () => {
  dns = await aDnsServer({
    "ours.test": { TXT: ["v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all"] },
    "deep.test": { TXT: ["v=spf1 include:ours.test ?all"] },
    "dots.test": { TXT: ["v=spf1 a:mail.host.test./24//64 -all"] },
    "four.test": { TXT: ["v=spf1 ip4:192.0.2.0/24 -all"] },
    "mx.test": { MX: ["10 mail.host.test"] },
    "mail.host.test": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
    "broken.test": "SERVFAIL",
    "loop.test": { TXT: ["v=spf1 include:loop.test -all"] },
    "two.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all", "v=spf1 -all"] },
    ...chain(12),
    "c12.test": { TXT: ["v=spf1 -all"] },
  });
});
afterAll(() => dns.close());

function follow(text: string, hostAddresses = ["192.0.2.1", "2001:db8::1"]) {
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
  return followSpf(text, {
    ...{ domain: "example.test", hostname: "mail.host.test", hostAddresses },
    resolve: (name, rrtype) => resolver.resolve(name, rrtype),
  });
}

describe("An SPF record allows this server", () => {
  test.each<[string, "yes" | "no" | "open", number]>([
    ["v=spf1 a:mail.host.test -all", "yes", 1],
    ["v=spf1 A:Mail.Host.Test ~all", "yes", 1],
    ["v=spf1 a:other.test. a:mail.host.test. -all", "yes", 2],
    ["v=spf1 include:dots.test. -all", "yes", 2],
    ["v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all", "yes", 0],
    ["v=spf1 include:deep.test -all", "yes", 2],
    ["v=spf1 redirect=ours.test", "yes", 1],
    ["v=spf1 mx:mx.test -all", "yes", 1],
    ["v=spf1 +all", "yes", 0],
    // The other address fails.
    ["v=spf1 ip4:192.0.2.1 -all", "no", 0],
    ["v=spf1 include:four.test -all", "no", 1],
    ["v=spf1 -all a:mail.host.test", "no", 0],
    ["v=spf1 ?a:mail.host.test -all", "no", 1],
    ["v=spf1 ~all", "no", 0],
    ["v=spf1 include:broken.test -all", "open", 1],
    ["v=spf1 a:mail.host.test include:broken.test -all", "yes", 2],
    ["v=spf1 include:loop.test -all", "no", 51],
    ["v=spf1 include:two.test -all", "no", 1],
    ["v=spf1 include:c0.test a:mail.host.test -all", "no", 14],
    ["v=spf1 a:mail.host.test include:c0.test -all", "yes", 14],
    ["v=spf1 a:n1.test a:n2.test a:n3.test a:mail.host.test -all", "no", 4],
    ["v=spf1 a:n1.test a:n2.test a:mail.host.test -all", "yes", 3],
  ])("%s: %s, %i lookups", async (text, authorizes, lookups) => {
    expect(await follow(text)).toMatchObject({ authorizes, lookups });
  });

  test("not if one term is invalid", async () => {
    expect(await follow("v=spf1 a:mail.host.test ip4:1.2.3 -all")).toMatchObject({
      authorizes: "no",
      error: "ip4:1.2.3 is not an IPv4 address or range",
    });
  });

  test("reports why receivers fail with an error", async () => {
    expect((await follow("v=spf1 include:c0.test -all")).error).toBe("needs more than 10 lookups");
    expect((await follow("v=spf1 a:n1.test a:n2.test a:n3.test ~all")).error).toMatch(/void/);
  });

  test("by its hostname if DNS doesn't know its addresses", async () => {
    expect(await follow("v=spf1 a:mail.host.test -all", [])).toMatchObject({ authorizes: "yes" });
    expect(await follow("v=spf1 ip4:192.0.2.1 -all", [])).toMatchObject({ authorizes: "no" });
  });
});
