import type { Outcome } from "#mail/smtp/outcome.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { afterAll, describe, expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Zones } from "#server/testing/fake-dns.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";
import type { SinkSettings } from "#server/testing/smtp-sink.ts";
import type { Carrier, Route } from "#worker/delivery/delivery.ts";

const trusted = getCACertificates("default");

afterAll(() => setDefaultCACertificates(trusted));

const { aSink, aCarrier, endWith } = outsideMail();

const MESSAGE = Buffer.from("Subject: Hello\r\n\r\nHello\r\n");
const send = async (carrier: Carrier, route: Route, recipient = "ann@there.test") => {
  const envelopeFrom = "b@here.test";
  const [outcome] = await carrier.deliver({
    route,
    envelopeFrom,
    recipients: [recipient],
    message: MESSAGE,
  });
  return outcome!;
};
const toDomain = (carrier: Carrier, domain: string): Promise<Outcome> =>
  send(carrier, { kind: "mx", domain }, `ann@${domain}`);

describe("The hosts of a domain", () => {
  test("are tried by preference until one accepts the connection", async () => {
    const refusing = await aSink({
      host: "127.0.0.2",
      script: ({ verb }) => (verb === "CONNECT" ? { reply: "421 4.3.2 Busy" } : undefined),
    });
    const taking = await aSink({ host: "127.0.0.4", port: refusing.port });
    const carrier = await aCarrier(refusing, {
      zones: {
        "there.test": { MX: ["30 third.test", "10 first.test", "20 second.test"] },
        "first.test": { A: ["127.0.0.2"] },
        "second.test": { A: ["127.0.0.3"] }, // no server listens there
        "third.test": { A: ["127.0.0.4"] },
      },
    });

    expect((await toDomain(carrier, "there.test")).result).toBe("delivered");
    expect(refusing.connections.opened).toBe(1);
    expect(taking.accepted()).toBe(1);
  });

  test("are tried at all their addresses, IPv4 before IPv6", async () => {
    const sink = await aSink({ host: "::1" });
    const carrier = await aCarrier(sink, {
      zones: {
        "there.test": { AAAA: ["::1"], A: ["127.0.0.9"] },
      },
    });

    expect((await toDomain(carrier, "there.test")).result).toBe("delivered");
  });

  test("that reject the connection delay the message without suppressing the address", async () => {
    const sink = await aSink({
      script: ({ verb }) =>
        verb === "CONNECT" ? { reply: "554 5.7.1 Your IP is on our block list" } : undefined,
    });
    const carrier = await aCarrier(sink, { zones: { "there.test": { A: ["127.0.0.1"] } } });

    expect(await toDomain(carrier, "there.test")).toMatchObject({
      recipient: "ann@there.test",
      result: "delayed",
      dsn: "4.7.1",
      message: "554 5.7.1 Your IP is on our block list",
      suppress: false,
      isBlock: true,
    });
  });

  test("delay the message if one rejects us and another does not respond", async () => {
    const sink = await aSink({
      script: ({ verb }) => (verb === "CONNECT" ? { reply: "554 5.7.1 Go away" } : undefined),
    });
    const carrier = await aCarrier(sink, {
      zones: { "there.test": { A: ["127.0.0.1", "127.0.0.3"] } }, // no server listens at the latter
    });

    expect(await toDomain(carrier, "there.test")).toMatchObject({ result: "delayed" });
    expect(sink.connections.opened).toBe(1);
  });

  test("are tried up to five addresses", async () => {
    const sink = await aSink({
      script: ({ verb }) => (verb === "CONNECT" ? { reply: "421 Busy" } : undefined),
    });
    const hosts = Array.from({ length: 9 }, (_, at) => `mx${at}.test`);
    const zones = Object.fromEntries(hosts.map((host) => [host, { A: ["127.0.0.1"] }]));
    const carrier = await aCarrier(sink, {
      zones: { ...zones, "there.test": { MX: hosts.map((host) => `10 ${host}`) } },
    });

    expect(await toDomain(carrier, "there.test")).toMatchObject({ result: "delayed" });
    expect(sink.connections.opened).toBe(5);
  });

  test("that do not respond delay the message", async () => {
    const sink = await aSink();
    await sink.close();
    const carrier = await aCarrier(sink, { zones: { "there.test": { A: ["127.0.0.1"] } } });

    const outcome = await toDomain(carrier, "there.test");

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.4.1" });
    expect(outcome.message).toBe("Could not connect to there.test: connection refused");
  });

  test.each<[string, Zones[string] | null, Partial<Outcome>]>([
    ["a null MX", { MX: ["0 ."] }, { result: "bounced", dsn: "5.1.10", suppress: true }],
    ["no such domain", null, { result: "delayed", dsn: "4.1.2", suppress: false }],
    ["neither MX nor address", { TXT: ["x"] }, { result: "delayed", dsn: "4.1.2" }],
    ["SERVFAIL", "SERVFAIL", { result: "delayed", dsn: "4.4.3", suppress: false }],
    ["no answer", "TIMEOUT", { result: "delayed", dsn: "4.4.3", suppress: false }],
    ["an address that cannot be asked for", { A: "SERVFAIL" }, { result: "delayed", dsn: "4.4.3" }],
    ["an MX without address", { MX: ["10 absent.test"] }, { result: "bounced", dsn: "5.4.4" }],
    ["an MX that is an address", { MX: ["10 127.0.0.1"] }, { result: "bounced", dsn: "5.4.4" }],
    ["an MX at 0.0.0.0", { MX: ["10 zero.test"] }, { result: "bounced", dsn: "5.4.4" }],
  ])("determine the outcome without a connection: %s", async (_, records, expected) => {
    const sink = await aSink();
    const zones: Zones = { "zero.test": { A: ["0.0.0.0"], AAAA: ["::", "ff02::1"] } };
    if (records) zones["there.test"] = records;
    const dnsTimeoutMs = records === "TIMEOUT" ? 150 : 10_000;
    const carrier = await aCarrier(sink, { zones, dnsTimeoutMs });

    const domain = records ? "there.test" : "absent.test";
    expect(await toDomain(carrier, domain)).toMatchObject(expected);
    expect(sink.connections.opened).toBe(0);
  });

  test("are not looked up for a domain literal", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink, { zones: {} });

    expect(await toDomain(carrier, "[127.0.0.1]")).toMatchObject({
      result: "bounced",
      dsn: "5.1.2",
      message: "Domain literals are not accepted",
    });
  });

  test.each(["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1"])(
    "are never at private addresses, unless allowed: %s",
    async (address) => {
      const sink = await aSink();
      const zones = {
        "there.test": { A: [address], AAAA: ["::1", "::ffff:127.0.0.1", "fd00::1"] },
      };
      const carrier = await aCarrier(sink, { zones, allowPrivateHosts: false });

      expect(await toDomain(carrier, "there.test")).toMatchObject({
        result: "bounced",
        dsn: "5.4.4",
        suppress: false,
      });
      expect(sink.connections.opened).toBe(0);
    },
  );
});

describe("TLS with a mail server", () => {
  const zones = { "there.test": { A: ["127.0.0.1"] } };

  test("is used if offered, whatever the certificate", async () => {
    const sink = await aSink({ tls: "offered" });
    const carrier = await aCarrier(sink, { zones });

    await toDomain(carrier, "there.test");

    expect(sink.messages[0]?.secure).toBe(true);
    expect(sink.commands.slice(0, 3)).toEqual([
      "EHLO mail.here.test",
      "STARTTLS",
      "EHLO mail.here.test",
    ]);
  });

  test("falls back to clear text once if the handshake fails", async () => {
    const sink = await aSink({ tls: "broken" });
    const carrier = await aCarrier(sink, { zones });

    expect(await toDomain(carrier, "there.test")).toMatchObject({ result: "delivered" });
    expect(sink.messages[0]?.secure).toBe(false);
    expect(sink.connections.opened).toBe(2);
  });

  test("is not required by a host that offers it and then rejects it", async () => {
    const sink = await aSink({
      tls: "offered",
      script: ({ verb }) => (verb === "STARTTLS" ? { reply: "454 4.7.0 Not now" } : undefined),
    });
    const carrier = await aCarrier(sink, { zones });

    expect((await toDomain(carrier, "there.test")).result).toBe("delivered");
    expect(sink.connections.opened).toBe(1);
  });

  test("never treats bytes from before the handshake as replies under TLS", async () => {
    let grouped = false;
    const sink = await aSink({
      tls: "injecting",
      script: ({ verb, hasMore }) => {
        if (verb === "MAIL") grouped = hasMore;
        return undefined;
      },
    });
    const carrier = await aCarrier(sink, { zones });

    await toDomain(carrier, "there.test");

    expect(sink.messages[0]).toMatchObject({ secure: true, parameters: "" });
    // The extensions announced under TLS were used, so MAIL, RCPT and DATA came in one write.
    expect(grouped).toBe(true);
  });
});

describe("A smarthost", () => {
  const auth = { user: "post", pass: "haus" };
  const relay = (port: number, more = {}): Route => ({
    kind: "relay",
    relay: { host: "localhost", port, implicitTls: false, auth: null, ...more },
  });

  test.each(["PLAIN", "LOGIN"] as const)("accepts AUTH %s", async (mechanism) => {
    const sink = await aSink({
      auth: { ...auth, mechanism },
      script: ({ verb, secure }) =>
        verb === "MAIL" && !secure ? { reply: "530 5.7.0 TLS first" } : undefined,
      tls: "offered",
    });
    const carrier = await aCarrier(sink, { zones: {} });

    expect((await send(carrier, relay(sink.port, { auth }))).result).toBe("delivered");
    expect(sink.commands.some((line) => line.startsWith(`AUTH ${mechanism}`))).toBe(true);
  });

  test("is looked up with the configured resolver, also on a private network", async () => {
    const sink = await aSink({ host: "127.0.0.5" });
    const carrier = await aCarrier(sink, {
      zones: { "relay.test": { A: ["127.0.0.5"] } },
      allowPrivateHosts: false,
    });

    const outcome = await send(carrier, relay(sink.port, { host: "relay.test" }));

    expect(outcome.result).toBe("delivered");
  });

  test("that rejects the password delays the mail, so that the operator can correct it", async () => {
    const sink = await aSink({ auth: { ...auth, mechanism: "PLAIN" } });
    const carrier = await aCarrier(sink, { zones: {} });

    const outcome = await send(carrier, relay(sink.port, { auth: { user: "post", pass: "no" } }));

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.7.8", suppress: false });
  });

  test("on another machine never receives the password without TLS", async () => {
    // 0.0.0.0 is this machine, but not a loopback address.
    const sink = await aSink({ auth: { ...auth, mechanism: "PLAIN" } });
    const carrier = await aCarrier(sink, { zones: {} });

    const outcome = await send(carrier, relay(sink.port, { host: "0.0.0.0", auth }));

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    expect(sink.commands).toEqual(["EHLO mail.here.test"]);
  });

  test("on another machine never receives the password with an invalid certificate", async () => {
    const sink = await aSink({ tls: "offered", auth: { ...auth, mechanism: "PLAIN" } });
    const carrier = await aCarrier(sink, { zones: {} });

    const outcome = await send(carrier, relay(sink.port, { host: "0.0.0.0", auth }));

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    expect(sink.commands).not.toContainEqual(expect.stringContaining("AUTH"));
  });

  test("with implicit TLS requires a valid certificate", async () => {
    const sink = await aSink({ tls: "implicit", auth: { ...auth, mechanism: "PLAIN" } });
    const carrier = await aCarrier(sink, { zones: {} });
    const route = relay(sink.port, { implicitTls: true, auth });

    expect(await send(carrier, route)).toMatchObject({ result: "delayed", dsn: "4.7.5" });
    setDefaultCACertificates([...trusted, CERTIFICATE]);
    expect((await send(carrier, route)).result).toBe("delivered");
    expect(sink.messages[0]?.secure).toBe(true);
  });
});

describe("The mailbox store", () => {
  async function aStore(settings: Partial<SinkSettings> = {}) {
    const folder = await mkdtemp(join(tmpdir(), "lmtp-"));
    endWith(() => rm(folder, { recursive: true }));
    const socketPath = join(folder, "lmtp");
    const sink = await aSink({ lmtp: true, path: socketPath, ...settings });
    return { sink, route: { kind: "lmtp", at: { path: socketPath } } as const };
  }

  test("returns an outcome per recipient, before and after the message", async () => {
    const { sink, route } = await aStore();
    const carrier = await aCarrier({ port: 25 });

    const outcomes = await carrier.deliver({
      route,
      envelopeFrom: "",
      recipients: ["ann", "dot-452", "bounce", "bob", "dot-552"].map((local) => `${local}@x.test`),
      message: MESSAGE,
    });

    expect(outcomes.map(({ result }) => result)).toEqual([
      "delivered",
      "delayed",
      "bounced",
      "delivered",
      "bounced",
    ]);
    expect(sink.messages.map(({ recipients }) => recipients)).toEqual([
      ["ann@x.test"],
      ["bob@x.test"],
    ]);
    expect(sink.commands.slice(0, 2)).toEqual(["LHLO mail.here.test", "MAIL FROM:<>"]);
  });

  test("that stops between two recipients has delivered to the first one", async () => {
    const { route } = await aStore();
    const carrier = await aCarrier({ port: 25 });

    const outcomes = await carrier.deliver({
      route,
      envelopeFrom: "",
      recipients: ["ann@x.test", "drop@x.test", "bob@x.test"],
      message: MESSAGE,
    });

    expect(outcomes.map(({ result }) => result)).toEqual(["delivered", "delayed", "delayed"]);
  });

  test("that is down delays the mail", async () => {
    const carrier = await aCarrier({ port: 25 });

    const outcome = await send(carrier, { kind: "lmtp", at: { path: "/nowhere/lmtp" } });

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.4.1", suppress: false });
  });
});
