import { createHash, X509Certificate } from "node:crypto";

import { describe, expect, test } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { createSecureDns } from "#server/gateways/secure-dns.ts";
import { issueCertificate } from "#server/testing/acme-authority.ts";
import { aDnsServer, type Zones } from "#server/testing/fake-dns.ts";
import { outsideMail, sendHello } from "#server/testing/outside-mail.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";
import type { SinkSettings } from "#server/testing/smtp-sink.ts";
import { createTlsaFinder } from "#worker/delivery/mx/tlsa-finder.ts";

import type { CarrierOptions } from "./carrier.ts";
import type { TlsConnection } from "./open-first-peer.ts";

const { aSink, aCarrier, endWith } = outsideMail();

type Given = Partial<Pick<CarrierOptions, "findPolicy" | "onTls">> & {
  sink?: Partial<SinkSettings>;
  /** Records of `_PORT._tcp` and a name. */
  tlsa: Record<string, Zones[string]>;
  zones?: Zones;
  /** Names without DNSSEC. */
  insecure?: string[];
};

const ZONES: Zones = {
  ".": { SOA: ["a.root-servers.test"] },
  "there.test": { MX: ["10 mx.there.test"] },
  "mx.there.test": { A: ["127.0.0.1"] },
};

/** There.test and its mail server, whose certificate isn't trusted and for another name, with a validating resolver. */
async function aWorld({ sink: settings, tlsa, zones, insecure = [], ...more }: Given) {
  const sink = await aSink({ tls: "offered", ...settings });
  const places = Object.entries(tlsa).map(([name, zone]) => [`_${sink.port}._tcp.${name}`, zone]);
  const dns = await aDnsServer({
    ...ZONES,
    ...zones,
    ...(Object.fromEntries(places) as Zones),
  });
  endWith(() => dns.close());
  for (const name of Object.keys(dns.records))
    if (!insecure.includes(name.replace(/^_\d+\./, ""))) dns.secure.add(name);
  const timeouts = { timeoutMs: 500, tries: 1 };
  const secureDns = createSecureDns({ dnsServers: [dns], dnssec: "on" }, timeouts)!;
  const carrier = await aCarrier(sink, {
    resolver: createResolver({ dnsServers: [dns] }, timeouts),
    tlsaFinder: createTlsaFinder(secureDns, sink.port),
    ...more,
  });
  const send = (domain?: string, options?: { isTlsOptional?: boolean }) =>
    sendHello(carrier, domain, options);
  return { sink, questions: dns.questions, send };
}

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");
const keyOf = (pem: string) =>
  new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
const EE = { TLSA: [`3 1 1 ${sha256(keyOf(CERTIFICATE))}`] };
const OTHER_EE = { TLSA: [`3 1 1 ${"00".repeat(32)}`] };

/** The issuer's certificate of a chain. */
const issuerOf = (chain: string) => `-----BEGIN CERT${chain.split("-----BEGIN CERT")[2]!}`;

describe("A certificate that matches DANE-EE", () => {
  test("is enough, whatever its name and authority", async () => {
    const { send } = await aWorld({ tlsa: { "mx.there.test": EE } });
    expect(await send()).toMatchObject({ result: "delivered" });
    expect((await send()).tls).toMatch(/^dane valid TLSv1\.3 /);
  });

  test("can be given as a whole", async () => {
    const { raw } = new X509Certificate(CERTIFICATE);
    const { send } = await aWorld({
      tlsa: { "mx.there.test": { TLSA: [`3 0 0 ${raw.toString("hex")}`] } },
    });
    expect((await send()).result).toBe("delivered");
  });

  test("is looked up once for many messages", async () => {
    const { send, questions } = await aWorld({ tlsa: { "mx.there.test": EE } });
    await send();
    await send();
    expect(questions.filter((question) => question.startsWith("TLSA"))).toHaveLength(1);
  });
});

describe("Mail is delayed, and never sent in clear,", () => {
  test.each<[string, Given, string]>([
    ["if the certificate doesn't match", { tlsa: { "mx.there.test": OTHER_EE } }, "tlsa-invalid"],
    [
      "if the host offers no TLS",
      { tlsa: { "mx.there.test": EE }, sink: { tls: "none" } },
      "starttls-not-supported",
    ],
    [
      "if the handshake fails",
      { tlsa: { "mx.there.test": EE }, sink: { tls: "broken" } },
      "validation-failure",
    ],
    [
      "if the TLSA records can't be looked up",
      { tlsa: { "mx.there.test": "SERVFAIL" } },
      "dnssec-invalid",
    ],
  ])("%s", async (_, given, reason) => {
    const { send, sink } = await aWorld(given);
    expect(await send()).toMatchObject({ result: "delayed", dsn: "4.7.5", tls: `dane ${reason}` });
    expect(sink.accepted()).toBe(0);
  });
});

test.each<[string, Given]>([
  ["the certificate doesn't match", { tlsa: { "mx.there.test": OTHER_EE } }],
  ["the host offers no TLS", { tlsa: { "mx.there.test": EE }, sink: { tls: "none" } }],
  ["the TLSA records can't be looked up", { tlsa: { "mx.there.test": "SERVFAIL" } }],
  [
    "the MTA-STS policy lists other hosts",
    {
      tlsa: {},
      findPolicy: () => Promise.resolve({ mode: "enforce", mx: ["x.test"], maxAgeSeconds: 60 }),
    },
  ],
])("a message whose TLS is optional is sent, and not reported, if %s", async (_, given) => {
  const reported: string[] = [];
  const { send } = await aWorld({ ...given, onTls: ({ host }) => reported.push(host) });
  expect(await send("there.test", { isTlsOptional: true })).toMatchObject({ result: "delivered" });
  expect(reported).toEqual([]);
  // On a connection of its own.
  expect((await send()).tls).not.toMatch(/^opportunistic/);
});

test("a failed connection is reported with its addresses and TLSA records", async () => {
  const reported: TlsConnection[] = [];
  const onTls = (connection: TlsConnection) => reported.push(connection);
  const { sink, send } = await aWorld({ tlsa: { "mx.there.test": OTHER_EE }, onTls });
  await send();
  const place = `_${sink.port}._tcp.mx.there.test.`;
  expect(reported).toEqual([
    {
      domain: "there.test",
      host: "mx.there.test",
      from: "127.0.0.1",
      to: "127.0.0.1",
      outcome: { policy: "dane", result: "tlsa-invalid", encryption: null },
      records: [`${place} IN TLSA 3 1 1 ${"00".repeat(32)}`],
    },
  ]);
});

test("the next host is tried if the TLSA records of one can't be looked up", async () => {
  const { send } = await aWorld({
    zones: {
      "there.test": { MX: ["5 bad.there.test", "10 mx.there.test"] },
      "bad.there.test": { A: ["127.0.0.1"] },
    },
    tlsa: { "bad.there.test": "SERVFAIL", "mx.there.test": EE },
  });
  expect((await send()).result).toBe("delivered");
});

describe("A certificate of a trust anchor (DANE-TA)", () => {
  const withAnchor = async (name: string, validDays = 90) => {
    const { certificate, key } = await issueCertificate(name, validDays);
    const { raw } = new X509Certificate(issuerOf(certificate));
    return aWorld({
      sink: { certificate: { cert: certificate, key } },
      tlsa: { "mx.there.test": { TLSA: [`2 0 1 ${sha256(raw)}`] } },
    });
  };

  test.each(["mx.there.test", "there.test"])("is accepted for %s", async (name) => {
    const { send } = await withAnchor(name);
    expect((await send()).tls).toMatch(/^dane valid /);
  });

  test("is rejected for another name, or expired", async () => {
    for (const { send } of [
      await withAnchor("mx.other.test"),
      await withAnchor("mx.there.test", -0.01),
    ])
      expect(await send()).toMatchObject({ result: "delayed", tls: "dane tlsa-invalid" });
  });

  test("of another authority is rejected", async () => {
    const { certificate } = await issueCertificate("mx.there.test", 90);
    const { raw } = new X509Certificate(issuerOf(certificate));
    const { certificate: cert, key } = await issueCertificate("mx.there.test", 90);
    const { send } = await aWorld({
      sink: { certificate: { cert, key } },
      tlsa: { "mx.there.test": { TLSA: [`2 0 1 ${sha256(raw)}`] } },
    });
    expect(await send()).toMatchObject({ result: "delayed", tls: "dane tlsa-invalid" });
  });
});

test("records that SMTP clients can't use still require TLS, with any certificate", async () => {
  const tlsa = { "mx.there.test": { TLSA: [`1 1 1 ${"00".repeat(32)}`] } };
  const encrypted = await aWorld({ tlsa });
  expect((await encrypted.send()).tls).toMatch(/^dane unchecked TLSv1\.3 /);
  const clear = await aWorld({ tlsa, sink: { tls: "none" } });
  expect((await clear.send()).result).toBe("delayed");
});

describe("DANE doesn't apply, and nothing is looked up further,", () => {
  const tlsa = { "mx.there.test": OTHER_EE };
  test.each<[string, string[], RegExp]>([
    ["to a domain without DNSSEC", ["there.test"], /^(TLSA|A mx).* there\.test$/],
    ["to a mail server without DNSSEC", ["mx.there.test"], /^TLSA/],
    ["if the resolver doesn't validate", ["."], /^(TLSA|CNAME)/],
  ])("%s", async (_, insecure, absent) => {
    const { send, questions } = await aWorld({ tlsa, insecure });
    expect(await send()).toMatchObject({
      result: "delivered",
      tls: expect.stringMatching(/^opportunistic /) as string,
    });
    expect(questions.filter((question) => absent.test(question))).toEqual([]);
  });

  test("for TLSA records without DNSSEC, or without any", async () => {
    for (const given of [{ tlsa, insecure: ["_tcp.mx.there.test"] }, { tlsa: {} }])
      expect((await (await aWorld(given)).send()).tls).toMatch(/^opportunistic /);
  });
});

describe("For a mail server that is a CNAME,", () => {
  const zones = {
    "mx.there.test": { CNAME: ["real.there.test"] },
    "real.there.test": { A: ["127.0.0.1"] },
  };

  test("the records of its target count before its own", async () => {
    const { send } = await aWorld({
      zones,
      tlsa: { "real.there.test": EE, "mx.there.test": OTHER_EE },
    });
    expect((await send()).tls).toMatch(/^dane valid /);
  });

  test("only its own count if the target is insecure", async () => {
    const { send } = await aWorld({
      zones,
      insecure: ["real.there.test"],
      tlsa: { "real.there.test": OTHER_EE, "mx.there.test": EE },
    });
    expect((await send()).tls).toMatch(/^dane valid /);
  });
});

test("TLSA records count before an MTA-STS policy, which applies to hosts without any", async () => {
  const findPolicy = () =>
    Promise.resolve({ mode: "enforce" as const, mx: ["mx.other.test"], maxAgeSeconds: 60 });
  const withTlsa = await aWorld({ findPolicy, tlsa: { "mx.there.test": EE } });
  expect((await withTlsa.send()).result).toBe("delivered");
  const without = await aWorld({ findPolicy, tlsa: {} });
  expect(await without.send()).toMatchObject({
    result: "delayed",
    tls: "mta-sts validation-failure",
  });
});
