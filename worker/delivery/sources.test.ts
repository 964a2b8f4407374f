import { pino } from "pino";
import { afterEach, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type Zones } from "#server/testing/fake-dns.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";

import type { Delivery } from "./delivery.ts";
import { type Source, Sources, systemSource } from "./sources.ts";

const { aSink, aCarrier, endWith } = outsideMail();
afterEach(async () => {
  await db().delete(settings);
});

const HOSTNAME = "mail.here.test";
const V6 = "2001:db8::2";
const REVERSE = `2${".0".repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa`;
const ADDRESSES = `127.0.0.1,127.0.0.2=mail2.here.test,${V6}=mail2.here.test`;

type Given = { addresses?: string; outgoing?: string[]; zones?: Zones; localMode?: boolean };

async function someSources({ addresses = "", outgoing = [], zones = {}, ...given }: Given) {
  const { outboundSources: configured } = readConfig({
    POSTHOUSE_HOSTNAME: HOSTNAME,
    POSTHOUSE_OUTBOUND_ADDRESSES: addresses,
  });
  const dns = await aDnsServer(zones);
  endWith(() => dns.close());
  const sources = new Sources({
    db: db(),
    hostname: HOSTNAME,
    configured,
    localMode: given.localMode ?? false,
    resolver: createResolver({ dnsServers: [dns] }, { timeoutMs: 150, tries: 1 }),
    log: pino({ level: "silent" }),
    outgoing: () => Promise.resolve(outgoing),
  });
  await sources.start();
  endWith(() => {
    sources.stop();
    return Promise.resolve();
  });
  return { sources, dns };
}

test("mail is sent from the first name, unless its domain or company has another one", async () => {
  await changeSetting(
    db(),
    "outbound_names",
    "news.test=mail2.here.test,0199a=mail2.here.test,old.test=gone.test,0199b=mail2.here.test,x.test=mail.here.test",
  );
  const { sources } = await someSources({ addresses: ADDRESSES });
  const name = (companyId: string, domain: string | null) => sources.of({ companyId, domain }).name;
  expect(name("c", "other.test")).toBe(HOSTNAME);
  expect(name("c", null)).toBe(HOSTNAME);
  expect(name("c", "news.test")).toBe("mail2.here.test");
  expect(name("0199a", null)).toBe("mail2.here.test");
  expect(name("0199b", "x.test")).toBe(HOSTNAME);
  expect(name("c", "old.test")).toBe(HOSTNAME);
  expect(sources.of({ domain: "news.test" }).suffix).toBe(" from mail2.here.test");
  expect(sources.of({}).suffix).toBe("");
});

test("IPv6 is used only while its reverse DNS has the name and the name resolves back", async () => {
  const right: Zones = { [REVERSE]: { PTR: [HOSTNAME] }, [HOSTNAME]: { AAAA: [V6] } };
  const { sources, dns } = await someSources({ outgoing: ["192.0.2.1", V6], zones: right });
  const ipv6 = async () => {
    await sources.checkReverseDns();
    return sources.of({}).ipv6;
  };
  expect(await ipv6()).toBe(undefined);
  expect(sources.of({}).ipv4).toBe(undefined);
  dns.records[REVERSE] = "SERVFAIL";
  expect(await ipv6()).toBe(undefined);
  dns.records[REVERSE] = { PTR: ["vps.hoster.test"] };
  expect(await ipv6()).toBe(null);
  dns.records[REVERSE] = { PTR: [HOSTNAME] };
  dns.records[HOSTNAME] = { A: ["192.0.2.1"] };
  expect(await ipv6()).toBe(null);

  const configured = await someSources({
    addresses: `${V6}=mail2.here.test`,
    zones: { [REVERSE]: { PTR: ["mail2.here.test"] }, "mail2.here.test": { AAAA: [V6] } },
  });
  await configured.sources.checkReverseDns();
  expect(configured.sources.of({})).toMatchObject({ ipv4: null, ipv6: V6 });
  const local = await someSources({ localMode: true });
  expect(local.sources.of({}).ipv6).toBe(undefined);
});

test("a system with IPv6 only is known", async () => {
  const { sources } = await someSources({ outgoing: [V6] });
  await sources.checkReverseDns();
  expect(sources.of({})).toMatchObject({ ipv6: null, isWithoutIpv4: true });
  const both = await someSources({ outgoing: [V6, "192.0.2.1"] });
  await both.sources.checkReverseDns();
  expect(both.sources.of({})).toMatchObject({ isWithoutIpv4: false });
});

const to = (recipient: string, companyId: string): Delivery => ({
  route: { kind: "mx", domain: recipient.split("@")[1]! },
  companyId,
  envelopeFrom: "bounce@here.test",
  recipients: [recipient],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});

test.each([
  ["both.test", `${HOSTNAME} has no IPv4 address, and no IPv6 address with a matching PTR record`],
  [
    "six.test",
    `six.test has only IPv6 addresses, and ${HOSTNAME} has none with a matching PTR record`,
  ],
  ["four.test", `four.test has only IPv4 addresses, and ${HOSTNAME} has none`],
])(
  "mail to %s from a server with IPv6 only and no PTR record says why it waits",
  async (domain, message) => {
    const sink = await aSink();
    await sink.close();
    const carrier = await aCarrier(sink, {
      sourceOf: () => ({ ...systemSource(HOSTNAME), ipv6: null, isWithoutIpv4: true }),
      zones: {
        "both.test": { A: ["127.0.0.1"], AAAA: ["::1"] },
        "six.test": { AAAA: ["::1"] },
        "four.test": { A: ["127.0.0.1"] },
      },
    });
    expect(await carrier.deliver(to(`ann@${domain}`, "a"))).toMatchObject([
      { result: "delayed", dsn: "4.4.4", message },
    ]);
  },
);

test("IPv4 that came back is used", async () => {
  const carrier = await aCarrier(await aSink(), {
    sourceOf: () => ({ ...systemSource(HOSTNAME), ipv6: null, isWithoutIpv4: true }),
  });
  expect(await carrier.deliver(to("ann@there.test", "a"))).toMatchObject([{ result: "delivered" }]);
});

test("each source has its name, address, connections and limits", async () => {
  const sink = await aSink({
    script: ({ verb, session }) =>
      verb === "DOT" && session === 2
        ? { reply: "421 4.7.28 Unusual rate of mail from your IP address" }
        : undefined,
  });
  const source = (name: string, ipv4: string, suffix: string): Source => ({
    name,
    ipv4,
    ipv6: null,
    suffix,
  });
  const [one, two] = [
    source(HOSTNAME, "127.0.0.1", ""),
    source("mail2.here.test", "127.0.0.2", " from mail2.here.test"),
  ];
  const limited: string[] = [];
  const carrier = await aCarrier(sink, {
    findProvider: () => "big",
    sourceOf: ({ companyId }) => (companyId === "b" ? two : one),
    shaping: { onLimited: (key) => limited.push(key) },
    zones: { "six.test": { AAAA: ["::1"] } },
  });
  expect(await carrier.deliver(to("ann@there.test", "a"))).toMatchObject([{ result: "delivered" }]);
  expect(await carrier.deliver(to("bob@there.test", "b"))).toMatchObject([{ result: "delayed" }]);
  expect(sink.clients).toEqual(["127.0.0.1", "127.0.0.2"]);
  expect(sink.commands.filter((line) => line.startsWith("EHLO"))).toEqual([
    "EHLO mail.here.test",
    "EHLO mail2.here.test",
  ]);
  expect(limited).toEqual(["big from mail2.here.test"]);
  const route = { kind: "mx", domain: "there.test" } as const;
  expect(carrier.postpone(route, { companyId: "b" })).toMatchObject({ notAttempted: "suspended" });
  expect(carrier.postpone(route, { companyId: "a" })).toBe(null);
  expect(await carrier.deliver(to("cay@there.test", "a"))).toMatchObject([{ result: "delivered" }]);

  expect(await carrier.deliver(to("dan@six.test", "a"))).toMatchObject([
    { result: "delayed", dsn: "4.4.4" },
  ]);
});
