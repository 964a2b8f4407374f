import { describe, expect, test } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";

import { findMailHosts, orderHosts } from "./find-mail-hosts.ts";

describe("Mail servers", () => {
  test("are ordered by preference, in lowercase and without a trailing dot", async () => {
    const dns = await aDnsServer({ "there.test": { MX: ["20 b.test", "5 A.Test", "10 c.test"] } });
    const found = await findMailHosts(createResolver({ dnsServers: [dns] }), "There.test");
    await dns.close();

    expect(found).toEqual({
      kind: "hosts",
      hosts: [
        { name: "a.test", preference: 5 },
        { name: "c.test", preference: 10 },
        { name: "b.test", preference: 20 },
      ],
    });
  });

  test("of an internationalized domain are looked up by its A-label form", async () => {
    const dns = await aDnsServer({ "xn--bcher-kva.test": { MX: ["10 mx.test"] } });
    const found = await findMailHosts(createResolver({ dnsServers: [dns] }), "bücher.test");
    await dns.close();

    expect(found.kind).toBe("hosts");
  });

  test("are shuffled if their preference is equal, and only then", () => {
    const hosts = [
      { name: "last", preference: 20 },
      { name: "one", preference: 10 },
      { name: "other", preference: 10 },
    ];
    const firsts = new Set<string>();
    for (let drawing = 0; drawing < 100; drawing++) {
      const [first, , last] = orderHosts(hosts);
      firsts.add(first!.name);
      expect(last?.name).toBe("last");
    }
    expect([...firsts].sort()).toEqual(["one", "other"]);
  });
});
