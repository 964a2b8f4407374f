import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { readConfig } from "#server/config.ts";
import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { checkBlocklists } from "./check-blocklists.ts";

const LISTS = [
  { zone: "first.test", page: "https://first.test" },
  { zone: "second.test", page: "https://second.test" },
];
const OWN = "198.51.100.7";
const config = readConfig({ POSTHOUSE_HOSTNAME: "mail.appliance.example" });

let server: FakeDns;
let dns: Resolver;

beforeAll(async () => {
  server = await aDnsServer();
  dns = createResolver({ dnsServers: [server] }, { timeoutMs: 300, tries: 1 });
});
beforeEach(() => {
  for (const name of Object.keys(server.records)) Reflect.deleteProperty(server.records, name);
});
afterAll(() => server.close());

const look = (addresses = [OWN], settings = config) =>
  checkBlocklists(settings, dns, { outgoing: addresses, lists: LISTS });

test("an address that isn't listed passes", async () => {
  expect(await look()).toMatchObject({
    state: "ok",
    found: "198.51.100.7 isn't on first.test, second.test",
  });
  expect(server.questions).toContain("A 7.100.51.198.second.test");
});

test("a listed address fails, with the page that explains why", async () => {
  server.records["7.100.51.198.second.test"] = { A: ["127.0.0.4"] };
  expect(await look()).toMatchObject({
    state: "failed",
    found: "198.51.100.7 is on second.test (127.0.0.4), so many servers reject its mail",
    advice: expect.stringContaining("https://second.test") as string,
  });
});

test("looks up IPv6 addresses too", async () => {
  const labels = "7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2";
  server.records[`${labels}.first.test`] = { A: ["127.0.0.2"] };
  expect((await look(["2001:db8::7"])).state).toBe("failed");
});

test.each([
  ["rejects the resolver", { A: ["127.255.255.254"] }],
  ["doesn't answer", "SERVFAIL" as const],
  ["is redirected by the resolver", { A: ["203.0.113.1"] }],
])("a list that %s is unknown, not a listing", async (_, records) => {
  server.records["7.100.51.198.first.test"] = records;
  expect(await look()).toMatchObject({
    state: "unknown",
    found: "first.test doesn't answer this server's resolver",
  });
});

test("with a relay, this server's address doesn't matter", async () => {
  server.records["7.100.51.198.first.test"] = { A: ["127.0.0.4"] };
  const relayed = {
    ...config,
    relay: { host: "relay.test", port: 25, implicitTls: false, auth: null },
  };
  expect((await look([OWN], relayed)).state).toBe("ok");
});
