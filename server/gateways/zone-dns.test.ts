import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { aDnsServer, type FakeDns, type Zones } from "#server/testing/fake-dns.ts";

import { createZoneDns, type ZoneDns } from "./zone-dns.ts";

const DELEGATION: Zones = {
  "example.test": { NS: ["ns1.host.test", "NS2.host.test."] },
  "ns1.host.test": { A: ["127.0.0.2"] },
  "ns2.host.test": { A: ["127.0.0.3"] },
};

/** Two servers of the zone, and the configured resolver. */
let first: FakeDns;
let second: FakeDns;
let resolver: FakeDns;
let dns: ZoneDns;

beforeAll(async () => {
  first = await aDnsServer({}, { address: "127.0.0.2" });
  const { port } = first;
  second = await aDnsServer({}, { address: "127.0.0.3", port });
  resolver = await aDnsServer();
  dns = createZoneDns({ dnsServers: [resolver], port, allowPrivate: true });
});

beforeEach(() => {
  for (const { records } of [first, second, resolver])
    for (const name of Object.keys(records)) Reflect.deleteProperty(records, name);
  Object.assign(resolver.records, structuredClone(DELEGATION));
});

afterAll(() => Promise.all([first, second, resolver].map((server) => server.close())));

const serve = (server: FakeDns, records: Zones) => Object.assign(server.records, records);
const told = async (name: string, type: "TXT" | "MX" = "TXT") =>
  (await dns.ask(name, type)).map(({ server, kind, records, reason }) => [
    server,
    reason ?? (kind === "found" ? records : kind),
  ]);

describe("A lookup", () => {
  test("queries each name server of the zone, then the configured resolver", async () => {
    serve(first, { "_dmarc.example.test": { TXT: ["new"] } });
    serve(second, { "_dmarc.example.test": { TXT: [["in ", "two"]] } });
    serve(resolver, { "_dmarc.example.test": { TXT: ["old"] } });

    expect(await dns.ask("_dmarc.example.test", "TXT")).toEqual([
      {
        server: "ns1.host.test",
        address: "127.0.0.2",
        kind: "found",
        cname: null,
        records: [["new"]],
        reason: null,
      },
      {
        server: "ns2.host.test",
        address: "127.0.0.3",
        kind: "found",
        cname: null,
        records: [["in ", "two"]],
        reason: null,
      },
      {
        server: "resolver",
        address: null,
        kind: "found",
        cname: null,
        records: [["old"]],
        reason: null,
      },
    ]);
  });

  test("distinguishes NXDOMAIN, a missing record, SERVFAIL, REFUSED and timeouts", async () => {
    serve(first, { "a.example.test": {}, "b.example.test": "SERVFAIL" });
    serve(second, { "b.example.test": "REFUSED" });
    serve(resolver, { "b.example.test": "TIMEOUT" });

    expect(await told("a.example.test")).toEqual([
      ["ns1.host.test", "no_data"],
      ["ns2.host.test", "no_name"],
      ["resolver", "no_name"],
    ]);
    expect(await told("b.example.test")).toEqual([
      ["ns1.host.test", "SERVFAIL"],
      ["ns2.host.test", "REFUSED"],
      ["resolver", "TIMEOUT"],
    ]);
  });

  test("returns MX records ordered by preference", async () => {
    serve(first, { "example.test": { MX: ["20 b.test", "10 a.test", "0 ."] } });
    expect((await told("example.test", "MX"))[0]).toEqual([
      "ns1.host.test",
      [
        ["0", ""],
        ["10", "a.test"],
        ["20", "b.test"],
      ],
    ]);
  });

  test("queries the servers of the deepest zone", async () => {
    serve(resolver, { "_domainkey.example.test": { NS: ["ns2.host.test"] } });
    serve(second, { "s._domainkey.example.test": { TXT: ["key"] } });
    expect(await told("s._domainkey.example.test")).toEqual([
      ["ns2.host.test", [["key"]]],
      ["resolver", "no_name"],
    ]);
  });

  test("does not use the parent zone's answer if the child's servers can't be found", async () => {
    serve(resolver, { "_domainkey.example.test": "SERVFAIL" });
    serve(second, { "s._domainkey.example.test": { TXT: ["key"] } });
    expect((await told("s._domainkey.example.test")).slice(0, 2)).toEqual([
      ["ns1.host.test", "DELEGATION"],
      ["ns2.host.test", [["key"]]],
    ]);
  });

  test("does not follow a CNAME to another zone's servers, and returns its target", async () => {
    serve(resolver, {
      "www.example.test": { CNAME: ["other.test"] },
      "other.test": { NS: ["ns.other.test"], TXT: ["there"] },
      "ns.other.test": { A: ["127.0.0.9"] },
    });
    serve(first, { "www.example.test": { CNAME: ["other.test"] } });
    const [finding] = await dns.ask("www.example.test", "TXT");
    expect(finding).toMatchObject({
      server: "ns1.host.test",
      cname: "other.test",
      kind: "found",
      records: [["there"]],
    });
  });

  test("reports a name server without an address", async () => {
    serve(resolver, { "ns2.host.test": {} });
    expect((await told("example.test"))[1]).toEqual(["ns2.host.test", "NO_ADDRESS"]);
  });

  test("retries truncated answers over TCP", async () => {
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(100));
    serve(first, { "example.test": { TXT: texts } });
    expect((await dns.ask("example.test", "TXT"))[0]!.records).toHaveLength(20);
  });

  test("is queried again each time", async () => {
    serve(first, { "example.test": { TXT: ["one"] } });
    serve(resolver, {
      "example.test": { ...(DELEGATION["example.test"] as object), TXT: ["one"] },
    });
    await dns.ask("example.test", "TXT");
    serve(first, { "example.test": { TXT: ["two"] } });
    serve(resolver, {
      "example.test": { ...(DELEGATION["example.test"] as object), TXT: ["two"] },
    });
    expect(await told("example.test")).toMatchObject([
      ["ns1.host.test", [["two"]]],
      ["ns2.host.test", "no_name"],
      ["resolver", [["two"]]],
    ]);
  });
});

test("uses only the configured resolver if no name server is known", async () => {
  serve(resolver, { "mail.localhost": { TXT: ["here"] } });
  expect(await told("mail.localhost")).toEqual([["resolver", [["here"]]]]);
});

test("reports a resolver that doesn't know any top-level domain", async () => {
  expect(await told("gone.elsewhere")).toEqual([["resolver", "NO_TOP_LEVEL"]]);
  serve(resolver, { elsewhere: { NS: ["ns1.host.test"] } });
  expect(await told("gone.elsewhere")).toEqual([["resolver", "no_name"]]);
});

test("queries only a few of hundreds of name servers", async () => {
  const many = Array.from({ length: 300 }, (_, at) => `ns${at}.crowd.test`);
  serve(resolver, { "example.test": { NS: many } });
  resolver.questions.length = 0;
  await dns.ask("example.test", "TXT");
  const lookedUp = resolver.questions.filter((question) => question.startsWith("A ns"));
  expect(lookedUp).toHaveLength(16);
});

test("does not query name servers at private addresses", async () => {
  const strict = createZoneDns({ dnsServers: [resolver], port: first.port });
  const asked = first.questions.length;
  expect(await strict.ask("example.test", "TXT")).toHaveLength(1);
  expect(first.questions).toHaveLength(asked);
});

test("finishes even if no server responds", async () => {
  for (const { records } of [first, second, resolver]) records["silent.example.test"] = "TIMEOUT";
  const findings = await dns.ask("silent.example.test", "TXT");
  expect(findings.map(({ reason }) => reason)).toEqual(["TIMEOUT", "TIMEOUT", "TIMEOUT"]);
});

test("looks up a domain's name servers once for several lookups", async () => {
  const names = ["example.test", "_dmarc.example.test", "_smtp._tls.example.test"];
  resolver.questions.length = 0;
  await dns.askAll(names.map((name) => ({ name, type: "TXT" })));
  const servers = resolver.questions.filter((question) => question === "NS example.test");
  expect(servers).toHaveLength(1);
});
