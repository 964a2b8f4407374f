import { afterAll, beforeAll, expect, test } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { lookUpSourceNames } from "./look-up-source-names.ts";

let dns: FakeDns;

beforeAll(async () => {
  dns = await aDnsServer({
    "10.2.0.192.in-addr.arpa": { PTR: ["Mail.sender.test"] },
    "mail.sender.test": { A: ["192.0.2.10"] },
    "11.2.0.192.in-addr.arpa": { PTR: ["mail.google.com"] },
    "mail.google.com": { A: ["198.51.100.1"] },
    [`5.2.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`]: { PTR: ["six.sender.test"] },
    "six.sender.test": { AAAA: ["2001:db8:0:0:0:0:0:25"] },
  });
});
afterAll(() => dns.close());

const resolver = () => createResolver({ dnsServers: [dns] }, { timeoutMs: 5_000, tries: 1 });

test("returns only names that resolve back to the address", async () => {
  const addresses = ["192.0.2.10", "192.0.2.11", "192.0.2.13", "2001:db8::25", "no address"];
  expect([...(await lookUpSourceNames(addresses, resolver()))]).toEqual([
    ["192.0.2.10", "mail.sender.test"],
    ["2001:db8::25", "six.sender.test"],
  ]);
});

test("omits names whose lookup takes too long", async () => {
  const known = resolver();
  const slow: typeof known = {
    ...known,
    resolve: (name, type) =>
      name.startsWith("12.") ? new Promise(() => {}) : known.resolve(name, type),
  };
  const names = await lookUpSourceNames(["192.0.2.12", "192.0.2.10"], slow);
  expect([...names.keys()]).toEqual(["192.0.2.10"]);
});
