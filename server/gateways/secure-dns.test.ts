import { afterEach, expect, test } from "vitest";

import { aDnsServer, type FakeDns, type Zones } from "#server/testing/fake-dns.ts";

import { createSecureDns, isValidating } from "./secure-dns.ts";

let dns: FakeDns | undefined;
afterEach(async () => {
  await dns?.close();
  dns = undefined;
});

async function aClient(records: Zones, secure: string[] = []) {
  dns = await aDnsServer(records);
  for (const name of secure) dns.secure.add(name);
  const timeouts = { timeoutMs: 200, tries: 2 };
  return createSecureDns({ dnsServers: [dns], dnssec: "auto" }, timeouts)!;
}

test("only a resolver on this machine is trusted, unless the operator decides", () => {
  const isTrusted = (address: string, dnssec: "auto" | "on" | "off" = "auto") =>
    createSecureDns({ dnsServers: [{ address, port: 53 }], dnssec }) !== null;
  expect(["127.0.0.1", "127.0.0.53", "::1"].every((address) => isTrusted(address))).toBe(true);
  expect(["9.9.9.9", "10.0.0.2", "127.0.0.11"].some((address) => isTrusted(address))).toBe(false);
  expect(isTrusted("10.0.0.2", "on")).toBe(true);
  expect(isTrusted("127.0.0.1", "off")).toBe(false);
});

test("answers and denials say whether they are validated", async () => {
  const zones: Zones = { "a.test": { A: ["192.0.2.1"] }, "b.test": { A: ["192.0.2.2"] } };
  const client = await aClient(zones, ["a.test", "absent.test"]);
  expect(await client.query("a.test", "A")).toMatchObject({
    kind: "found",
    isSecure: true,
    ttlSeconds: 300,
    answers: [{ type: "A", data: "192.0.2.1" }],
  });
  expect(await client.query("b.test", "A")).toMatchObject({ kind: "found", isSecure: false });
  expect(await client.query("a.test", "MX")).toEqual({ kind: "absent", isSecure: true });
  expect(await client.query("absent.test", "A")).toEqual({ kind: "absent", isSecure: true });
  expect(await client.query("other.test", "A")).toEqual({ kind: "absent", isSecure: false });
});

test("a response too large for a packet is fetched over TCP", async () => {
  const TLSA = Array.from({ length: 40 }, (_, at) => `3 1 1 ${`${at + 10}`.repeat(32)}`);
  const client = await aClient({ "_25._tcp.a.test": { TLSA } });
  const answer = await client.query("_25._tcp.a.test", "TLSA");
  expect(answer).toMatchObject({ kind: "found" });
  expect(answer.kind === "found" && answer.answers).toHaveLength(40);
});

test("an oversized response is a failure", async () => {
  const TLSA = Array.from({ length: 200 }, (_, at) => `3 1 1 ${`${at + 100}0`.repeat(16)}`);
  const client = await aClient({ "_25._tcp.a.test": { TLSA } });
  const answer = await client.query("_25._tcp.a.test", "TLSA");
  expect(answer).toEqual({ kind: "failed", reason: "oversized response" });
});

test("a failure is never an answer", async () => {
  const client = await aClient({ "bogus.test": "SERVFAIL", "silent.test": "TIMEOUT" });
  expect(await client.query("bogus.test", "A")).toEqual({ kind: "failed", reason: "SERVFAIL" });
  expect(await client.query("silent.test", "A")).toMatchObject({ kind: "failed" });
  expect(dns!.questions.filter((question) => question === "A silent.test")).toHaveLength(2);
});

test("a resolver that the system refuses to send to is a failure", async () => {
  // Simulates a missing route: sending to the broadcast address requires a permission.
  const server = { address: "255.255.255.255", port: 53 };
  const client = createSecureDns(
    { dnsServers: [server], dnssec: "on" },
    { timeoutMs: 200, tries: 1 },
  )!;
  expect(await client.query("a.test", "A")).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("connect") as string,
  });
});

test("a resolver validates if it says so about the root zone", async () => {
  expect(await isValidating(await aClient({ ".": { SOA: ["a.test"] } }, ["."]))).toBe(true);
  await dns?.close();
  expect(await isValidating(await aClient({ ".": { SOA: ["a.test"] } }))).toBe(false);
});
