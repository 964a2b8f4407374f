import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { outsideMail, sendHello } from "#server/testing/outside-mail.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";
import type { PolicyTerms } from "#worker/delivery/mx/mta-sts.ts";

const trusted = getCACertificates("default");

beforeEach(() => setDefaultCACertificates([...trusted, CERTIFICATE]));
afterEach(() => setDefaultCACertificates(trusted));

const { aSink, aCarrier } = outsideMail();

/** The certificate of every sink is for mx.example.test and for no other host. */
const zones = {
  "there.test": { MX: ["10 mx.example.test"] },
  "mx.example.test": { A: ["127.0.0.1"] },
  "mx.other.test": { A: ["127.0.0.1"] },
  "free.test": { MX: ["10 mx.example.test"] },
};

const policyOf =
  (mode: PolicyTerms["mode"], ...mx: string[]) =>
  (domain: string): Promise<PolicyTerms | null> =>
    Promise.resolve(domain === "there.test" ? { mode, mx, maxAgeSeconds: 86_400 } : null);

describe("An enforced policy", () => {
  const findPolicy = policyOf("enforce", "mx.example.test");

  test("allows delivery over TLS to a host that it lists, with a valid certificate", async () => {
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect((await sendHello(carrier)).result).toBe("delivered");
    expect(sink.messages[0]?.secure).toBe(true);
  });

  test("delays mail to hosts that it does not list, without connecting", async () => {
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, {
      zones: { ...zones, "there.test": { MX: ["10 mx.other.test"] } },
      findPolicy,
    });

    expect(await sendHello(carrier)).toEqual({
      recipient: "ann@there.test",
      result: "delayed",
      dsn: "4.7.5",
      message: "The MTA-STS policy of there.test does not list its mail server mx.other.test",
      suppress: false,
      tls: "mta-sts validation-failure",
    });
    expect(sink.connections.opened).toBe(0);
  });

  test("skips hosts that it does not list", async () => {
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, {
      zones: { ...zones, "there.test": { MX: ["10 mx.absent.test", "20 mx.example.test"] } },
      findPolicy: policyOf("enforce", "*.example.test"),
    });

    expect((await sendHello(carrier)).result).toBe("delivered");
  });

  test("delays mail to a host without TLS", async () => {
    const sink = await aSink({ tls: "none" });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect(await sendHello(carrier)).toMatchObject({
      result: "delayed",
      dsn: "4.7.5",
      message:
        "TLS with mx.example.test failed: it does not offer STARTTLS (required by the domain's MTA-STS policy)",
      suppress: false,
    });
    expect(sink.accepted()).toBe(0);
  });

  test("delays mail to a host whose handshake fails, and never sends it in clear", async () => {
    const sink = await aSink({ tls: "broken" });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect(await sendHello(carrier)).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    expect(sink.connections.opened).toBe(1);
    expect(sink.accepted()).toBe(0);
  });

  test("delays mail to a host with an untrusted certificate", async () => {
    setDefaultCACertificates(trusted);
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect(await sendHello(carrier)).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    expect(sink.accepted()).toBe(0);
  });

  test("delays mail to a host whose certificate is for another name", async () => {
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, {
      zones: { ...zones, "there.test": { MX: ["10 mx.other.test"] } },
      findPolicy: policyOf("enforce", "mx.other.test"),
    });

    expect(await sendHello(carrier)).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    expect(sink.accepted()).toBe(0);
  });

  test("applies to its own domain, even if another domain has the same hosts", async () => {
    setDefaultCACertificates(trusted);
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect((await sendHello(carrier, "free.test")).result).toBe("delivered");
    expect((await sendHello(carrier)).result).toBe("delayed");
    expect((await sendHello(carrier, "free.test")).result).toBe("delivered");
  });

  test("delays mail if a host rejects the connection, as without MTA-STS", async () => {
    const sink = await aSink({
      script: ({ verb }) => (verb === "CONNECT" ? { reply: "554 5.7.1 Go away" } : undefined),
    });
    const carrier = await aCarrier(sink, { zones, findPolicy });

    expect(await sendHello(carrier)).toMatchObject({ result: "delayed", dsn: "4.7.1" });
  });
});

test.each(["testing", "none"] as const)("A policy in mode %s changes nothing", async (mode) => {
  const sink = await aSink({ tls: "none" });
  const carrier = await aCarrier(sink, { zones, findPolicy: policyOf(mode, "mx.other.test") });

  expect((await sendHello(carrier)).result).toBe("delivered");
});

test("No policy is looked up for the mailbox store or a smarthost", async () => {
  const sink = await aSink({ tls: "none" });
  const asked: string[] = [];
  const carrier = await aCarrier(sink, {
    zones,
    findPolicy: (domain) => {
      asked.push(domain);
      return Promise.resolve(null);
    },
  });

  const relay = { host: "localhost", port: sink.port, implicitTls: false, auth: null };
  for (const route of [
    { kind: "relay", relay } as const,
    { kind: "lmtp", at: { path: "/nowhere/lmtp" } } as const,
  ])
    await carrier.deliver({
      route,
      envelopeFrom: "",
      recipients: ["ann@there.test"],
      message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    });

  expect(sink.accepted()).toBe(1);
  expect(asked).toEqual([]);
});
