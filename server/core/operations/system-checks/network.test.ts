import ipaddr from "ipaddr.js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { type Config, readConfig } from "#server/config.ts";
import { reversedAddress } from "#server/core/mail/spam/find-listing.ts";
import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { aGreeter, type Greeter } from "#server/testing/a-greeter.ts";
import { aDnsServer, type FakeDns, type Zones } from "#server/testing/fake-dns.ts";

import { checkDns } from "./check-dns.ts";
import { checkInboundPort } from "./check-inbound-port.ts";
import { checkOutboundPort } from "./check-outbound-port.ts";
import { checkReverseDns } from "./check-reverse-dns.ts";

const HOST = "mail.appliance.example";
const LOOPBACK = { allowed: [ipaddr.parseCIDR("127.0.0.0/8")] };
/** Nothing listens on it. */
const DEAD_PORT = 1;

let server: FakeDns;
let dns: Resolver;
const greeters: Greeter[] = [];

beforeAll(async () => {
  server = await aDnsServer();
  dns = createResolver({ dnsServers: [server] }, { timeoutMs: 300, tries: 1 });
});
afterEach(async () => {
  await Promise.all(greeters.splice(0).map((greeter) => greeter.stop()));
});
afterAll(() => server.close());

/** Replaces all records of the DNS server. */
function serve(records: Zones): void {
  for (const name of Object.keys(server.records)) Reflect.deleteProperty(server.records, name);
  Object.assign(server.records, records);
}
async function greet(line: string): Promise<number> {
  const greeter = await aGreeter(line);
  greeters.push(greeter);
  return greeter.port;
}
const settings = (env: Record<string, string> = {}): Config =>
  readConfig({ POSTHOUSE_HOSTNAME: HOST, POSTHOUSE_BIND: "127.0.0.1", ...env });
const WELL_KNOWN: Zones = {
  "gmail.com": { MX: ["20 second.test", "10 first.test"] },
  "outlook.com": { MX: ["10 other.test"] },
  "first.test": { A: ["127.0.0.1"] },
  "other.test": { A: ["127.0.0.1"] },
};

test("outgoing port 25 is open if a well-known server responds, whatever it says", async () => {
  serve(WELL_KNOWN);
  const port = await greet("554 no");
  const open = settings({ POSTHOUSE_OUTBOUND_PORT: String(port) });
  expect(await checkOutboundPort(open, dns)).toMatchObject({
    state: "ok",
    found: `Connected to first.test on port ${port}`,
  });
});

test("a blocked outgoing port 25 fails with advice, and is a warning in local mode", async () => {
  serve(WELL_KNOWN);
  const blocked = settings({ POSTHOUSE_OUTBOUND_PORT: String(DEAD_PORT) });
  expect(await checkOutboundPort(blocked, dns)).toMatchObject({
    state: "failed",
    found: "Can't connect to first.test or other.test on port 1 (ECONNREFUSED)",
    advice: expect.stringContaining("POSTHOUSE_RELAY_URL") as string,
    command: "nc -vz first.test 1",
  });
  expect((await checkOutboundPort({ ...blocked, localMode: true }, dns)).state).toBe("warning");
});

test("without DNS the state of outgoing port 25 is unknown", async () => {
  serve({ "gmail.com": "SERVFAIL", "outlook.com": "SERVFAIL" });
  expect((await checkOutboundPort(settings(), dns)).state).toBe("unknown");
});

test("with a relay, checks only the relay", async () => {
  const port = await greet("220 relay");
  const relayed = settings({ POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${port}` });
  expect((await checkOutboundPort(relayed, dns)).state).toBe("ok");
  const gone = settings({ POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${DEAD_PORT}` });
  expect((await checkOutboundPort(gone, dns)).state).toBe("failed");
});

test.each<[Zones, string, string]>([
  [{}, "failed", "has no A or AAAA record"],
  [
    { [HOST]: { A: ["10.0.0.5"] } },
    "failed",
    "resolves to 10.0.0.5, which can't be reached from the internet",
  ],
  [{ [HOST]: "SERVFAIL" }, "unknown", `The DNS lookup of ${HOST} failed`],
])("port 25 can't be reached with %j", async (records, state, found) => {
  serve(records);
  expect(await checkInboundPort(settings(), dns)).toMatchObject({
    state,
    found: expect.stringContaining(found) as string,
  });
});

test("the greeting at the hostname's address decides whether mail can come in", async () => {
  serve({ [HOST]: { A: ["127.0.0.1"] } });
  const ours = await greet(`220 ${HOST} ESMTP`);
  const theirs = await greet("220 mx.other.example ESMTP");
  const at = async (port: number, smtp: number) => {
    const own = settings({ SMTP_PORT: String(smtp) });
    const { state, found } = await checkInboundPort(own, dns, { port, ...LOOPBACK });
    return `${state}: ${found}`;
  };
  expect(await at(ours, ours)).toMatch(/^ok: .* responds on port/);
  expect(await at(theirs, ours)).toMatch(/^failed: Another server responds .* mx\.other\.example/);
  expect(await at(DEAD_PORT, ours)).toMatch(/^warning: Port 1 .* doesn't respond to this server/);
  expect(await at(DEAD_PORT, DEAD_PORT)).toMatch(/^failed: Nothing is listening on port 1/);
});

test.each<[string, Zones, string, string]>([
  [
    "the hostname, which resolves back",
    { "5.28.113.93.in-addr.arpa": { PTR: [`${HOST}.`] }, [HOST]: { A: ["93.113.28.5"] } },
    ...(["ok", `is ${HOST}, which resolves back to it`] as const),
  ],
  [
    "the hostname, which resolves elsewhere",
    { "5.28.113.93.in-addr.arpa": { PTR: [HOST] }, [HOST]: { A: ["93.113.28.6"] } },
    ...(["failed", `is ${HOST}, which doesn't resolve back to it`] as const),
  ],
  [
    "another name, which resolves back",
    {
      "5.28.113.93.in-addr.arpa": { PTR: ["vps7.hoster.example"] },
      "vps7.hoster.example": { A: ["93.113.28.5"] },
    },
    ...(["warning", `is vps7.hoster.example, not ${HOST}`] as const),
  ],
  [
    "another name, which doesn't resolve",
    { "5.28.113.93.in-addr.arpa": { PTR: ["vps7.hoster.example"] } },
    ...(["failed", "is vps7.hoster.example, which doesn't resolve back to it"] as const),
  ],
  ["nothing", {}, ...(["failed", "93.113.28.5 has no reverse DNS"] as const)],
  [
    "a failed lookup",
    { "5.28.113.93.in-addr.arpa": "SERVFAIL" },
    "unknown",
    "The reverse DNS lookup of 93.113.28.5 failed",
  ],
])("reverse DNS: %s", async (_, records, state, found) => {
  serve(records);
  expect(await checkReverseDns(settings(), dns, ["93.113.28.5"])).toMatchObject({
    state,
    found: expect.stringContaining(found) as string,
  });
});

test("reverse DNS: without IPv4 and a PTR record of an IPv6 address, no mail is delivered", async () => {
  const six = "2001:4860:4860::8888";
  const none = expect.stringContaining(`No mail is delivered from ${HOST}`) as string;
  serve({});
  expect(await checkReverseDns(settings(), dns, [six])).toMatchObject({
    state: "failed",
    found: none,
    advice: expect.stringContaining(six) as string,
  });
  const own = settings({ POSTHOUSE_OUTBOUND_ADDRESSES: six });
  expect(await checkReverseDns(own, dns)).toMatchObject({ state: "failed", found: none });

  expect((await checkReverseDns(settings(), dns, [six, "93.113.28.5"])).found).not.toMatch(none);
  const { labels, zone } = reversedAddress(six);
  serve({ [`${labels}.${zone}`]: { PTR: [HOST] }, [HOST]: { AAAA: [six] } });
  expect((await checkReverseDns(settings(), dns, [six])).state).toBe("ok");
});

test("each configured outgoing address needs its name, and the hostname's records must list it", async () => {
  const own = settings({
    POSTHOUSE_OUTBOUND_ADDRESSES: `93.113.28.5,93.113.28.6=mail2.example.com`,
  });
  const records: Zones = {
    "5.28.113.93.in-addr.arpa": { PTR: [HOST] },
    "6.28.113.93.in-addr.arpa": { PTR: ["mail2.example.com"] },
    "mail2.example.com": { A: ["93.113.28.6"] },
  };
  serve({ ...records, [HOST]: { A: ["93.113.28.5", "93.113.28.6"] } });
  expect((await checkReverseDns(own, dns)).state).toBe("ok");
  serve({ ...records, [HOST]: { A: ["93.113.28.5"] } });
  expect(await checkReverseDns(own, dns)).toMatchObject({
    state: "failed",
    found: expect.stringContaining(`${HOST} doesn't resolve to 93.113.28.6`) as string,
  });
  serve({ ...records, [HOST]: { A: ["93.113.28.5", "93.113.28.6"] }, "mail2.example.com": {} });
  expect((await checkReverseDns(own, dns)).state).toBe("failed");
});

test("behind NAT the hostname's public address is checked", async () => {
  const name = { "5.28.113.93.in-addr.arpa": { PTR: [HOST] } };
  serve({ ...name, [HOST]: { A: ["93.113.28.5", "10.0.0.1"] } });
  expect((await checkReverseDns(settings(), dns, [])).state).toBe("ok");
  serve({ [HOST]: { A: ["10.0.0.1"] } });
  expect((await checkReverseDns(settings(), dns, [])).state).toBe("unknown");
});

test("reports a resolver that blocklists reject, and one that doesn't respond", async () => {
  const asked = settings({ POSTHOUSE_DNS: `127.0.0.1:${server.port}` });
  const zones = ["bl.test", "good.test"];
  serve({
    "2.0.0.127.bl.test": { A: ["127.255.255.254"] },
    "2.0.0.127.good.test": { A: ["127.0.0.2"] },
  });
  expect(await checkDns(asked, dns, zones)).toMatchObject({
    state: "warning",
    found: expect.stringContaining("senders can't be looked up on bl.test") as string,
  });
  expect((await checkDns(asked, dns, ["good.test"])).state).toBe("ok");
  const silent = createResolver(
    { dnsServers: [{ address: "127.0.0.1", port: DEAD_PORT }] },
    { timeoutMs: 300, tries: 1 },
  );
  expect((await checkDns(asked, silent, [])).state).toBe("failed");
  expect((await checkDns({ ...asked, localMode: true }, silent, [])).state).toBe("warning");
});
