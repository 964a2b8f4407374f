import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { createResolver, type Resolver } from "./dns.ts";

let dns: FakeDns;
let resolver: Resolver;

beforeAll(async () => {
  dns = await aDnsServer({
    "example.test": {
      MX: ["10 mx1.example.test", "20 mx2.example.test"],
      A: ["192.0.2.1"],
      AAAA: ["2001:db8::1"],
      TXT: ["v=spf1 -all", "k".repeat(400)],
    },
    "null.test": { MX: ["0 ."] },
    "www.example.test": { CNAME: ["example.test"] },
    "large.test": { TXT: Array.from({ length: 20 }, (_, at) => String(at).repeat(120)) },
    "broken.test": "SERVFAIL",
    "half.test": { A: ["192.0.2.1"], MX: "SERVFAIL" },
    "silent.test": "TIMEOUT",
  });
  resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
});

afterAll(() => dns.close());

describe("The resolver", () => {
  test("reads MX, A, AAAA and TXT records from the configured server", async () => {
    const mx = await resolver.mx("example.test");
    expect(mx.kind === "found" && mx.records).toEqual(
      expect.arrayContaining([
        { preference: 10, exchange: "mx1.example.test" },
        { preference: 20, exchange: "mx2.example.test" },
      ]),
    );
    expect(await resolver.a("example.test")).toEqual({ kind: "found", records: ["192.0.2.1"] });
    expect(await resolver.aaaa("example.test")).toEqual({
      kind: "found",
      records: ["2001:db8::1"],
    });
  });

  test("joins the strings of a long TXT record", async () => {
    const txt = await resolver.txt("example.test");
    expect(txt.kind === "found" && txt.records.sort()).toEqual(["k".repeat(400), "v=spf1 -all"]);
  });

  test("follows CNAMEs and retries truncated answers over TCP", async () => {
    expect(await resolver.a("www.example.test")).toEqual({ kind: "found", records: ["192.0.2.1"] });
    const large = await resolver.txt("large.test");
    expect(large.kind === "found" && large.records).toHaveLength(20);
  });

  test("returns the null MX as an empty exchange", async () => {
    expect(await resolver.mx("null.test")).toEqual({
      kind: "found",
      records: [{ preference: 0, exchange: "" }],
    });
  });

  test("distinguishes a name that does not exist from one without such records", async () => {
    expect(await resolver.mx("absent.test")).toEqual({ kind: "no_name" });
    expect(await resolver.aaaa("large.test")).toEqual({ kind: "no_data" });
  });

  test("reports SERVFAIL and timeouts as temporary", async () => {
    expect(await resolver.a("broken.test")).toEqual({ kind: "failed", reason: "SERVFAIL" });
    expect(await resolver.mx("half.test")).toEqual({ kind: "failed", reason: "SERVFAIL" });
    expect(await resolver.a("silent.test")).toEqual({ kind: "failed", reason: "TIMEOUT" });
  });

  test("caches nothing: a changed zone shows in the next answer", async () => {
    dns.records["moving.test"] = { A: ["192.0.2.1"] };
    await resolver.a("moving.test");
    dns.records["moving.test"] = { A: ["192.0.2.2"] };

    expect(await resolver.a("moving.test")).toEqual({ kind: "found", records: ["192.0.2.2"] });
  });

  test("works for libraries that expect Node's own resolve", async () => {
    expect(await resolver.resolve("example.test", "A")).toEqual(["192.0.2.1"]);
    await expect(resolver.resolve("absent.test", "A")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });
});
