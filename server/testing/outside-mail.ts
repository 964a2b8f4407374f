import type { Outcome } from "#mail/smtp/outcome.ts";
import { afterEach } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { type CarrierOptions, OutboundCarrier } from "#worker/delivery/carrier/carrier.ts";
import type { Carrier, Delivery } from "#worker/delivery/delivery.ts";

import { aDnsServer, type Zones } from "./fake-dns.ts";
import { anSmtpSink, type SinkSettings, type SmtpSink } from "./smtp-sink.ts";

/** Sends a short message to ann at the domain. */
export async function sendHello(
  carrier: Carrier,
  domain = "there.test",
  options: Pick<Delivery, "isTlsOptional"> = {},
): Promise<Outcome> {
  const [outcome] = await carrier.deliver({
    ...options,
    route: { kind: "mx", domain },
    envelopeFrom: "b@here.test",
    recipients: [`ann@${domain}`],
    message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
  });
  return outcome!;
}

/** The mail server of there.test is on loopback. */
const ZONES: Zones = {
  "there.test": { MX: ["10 mx.there.test"] },
  "mx.there.test": { A: ["127.0.0.1"] },
};

export type OutsideMail = {
  /** An external mail server. */
  aSink: (settings?: Partial<SinkSettings>) => Promise<SmtpSink>;
  /** A carrier that resolves there.test, and everything else in the zones, to the sink's port. */
  aCarrier: (
    sink: { port: number },
    options?: Partial<CarrierOptions> & { zones?: Zones; dnsTimeoutMs?: number },
  ) => Promise<OutboundCarrier>;
  /** Registers a cleanup for after the test. */
  endWith: (end: () => Promise<void>) => void;
};

/** Mail servers, DNS and carriers for the tests of one file; each is stopped after its test. */
export function outsideMail(): OutsideMail {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });
  return {
    async aSink(settings) {
      const sink = await anSmtpSink(settings);
      endings.push(() => sink.close());
      return sink;
    },
    async aCarrier({ port }, { zones = {}, dnsTimeoutMs = 10_000, ...options } = {}) {
      const dns = await aDnsServer({ ...ZONES, ...zones });
      endings.push(() => dns.close());
      const carrier = new OutboundCarrier({
        hostname: "mail.here.test",
        resolver: createResolver({ dnsServers: [dns] }, { timeoutMs: dnsTimeoutMs, tries: 1 }),
        outboundPort: port,
        allowPrivateHosts: true,
        ...options,
      });
      endings.push(() => carrier.close());
      return carrier;
    },
    endWith: (end) => endings.push(end),
  };
}
