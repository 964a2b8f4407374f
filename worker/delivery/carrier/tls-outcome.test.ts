import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { afterEach, describe, expect, test } from "vitest";

import { outsideMail, sendHello } from "#server/testing/outside-mail.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";
import type { SinkSettings } from "#server/testing/smtp-sink.ts";
import type { CarrierOptions } from "./carrier.ts";

const trusted = getCACertificates("default");
const trustSinks = () => setDefaultCACertificates([...trusted, CERTIFICATE]);
afterEach(() => setDefaultCACertificates(trusted));

const { aSink, aCarrier } = outsideMail();

/** The certificate of every sink is for mx.example.test and for no other host. */
const zones = {
  "there.test": { MX: ["10 mx.example.test"] },
  "other.test": { MX: ["10 mx.other.test"] },
  "mx.example.test": { A: ["127.0.0.1"] },
  "mx.other.test": { A: ["127.0.0.1"] },
};

async function outcomeOf(
  settings: Partial<SinkSettings>,
  { domain, ...options }: Partial<CarrierOptions> & { domain?: string } = {},
) {
  return sendHello(await aCarrier(await aSink(settings), { zones, ...options }), domain);
}

const enforced = {
  findPolicy: () =>
    Promise.resolve({
      mode: "enforce" as const,
      mx: ["*.example.test", "*.other.test"],
      maxAgeSeconds: 86_400,
    }),
};

describe("The outcome of an attempt says how the connection was encrypted:", () => {
  test("version, cipher, and whether the certificate is valid, without a policy", async () => {
    trustSinks();
    expect(await outcomeOf({ tls: "offered" })).toMatchObject({
      result: "delivered",
      tls: expect.stringMatching(/^opportunistic valid TLSv1\.3 TLS_[A-Z0-9_]+$/) as string,
    });
    expect((await outcomeOf({ tls: "offered" }, { domain: "other.test" })).tls).toMatch(
      /^opportunistic certificate-host-mismatch TLSv1\.3 /,
    );
  });

  test("with a certificate of an unknown authority", async () => {
    expect((await outcomeOf({ tls: "offered" })).tls).toMatch(
      /^opportunistic certificate-not-trusted TLSv1\.3 /,
    );
  });

  test("why the message went in clear", async () => {
    expect(await outcomeOf({ tls: "none" })).toMatchObject({
      result: "delivered",
      tls: "opportunistic starttls-not-supported",
    });
    expect(await outcomeOf({ tls: "broken" })).toMatchObject({
      result: "delivered",
      tls: "opportunistic validation-failure",
    });
  });

  test("what an enforced policy accepted or rejected", async () => {
    trustSinks();
    expect((await outcomeOf({ tls: "offered" }, enforced)).tls).toMatch(/^mta-sts valid TLSv1\.3 /);
    expect(
      await outcomeOf({ tls: "offered" }, { ...enforced, domain: "other.test" }),
    ).toMatchObject({
      result: "delayed",
      host: "mx.other.test",
      tls: "mta-sts certificate-host-mismatch",
    });
    expect(await outcomeOf({ tls: "none" }, enforced)).toMatchObject({
      result: "delayed",
      tls: "mta-sts starttls-not-supported",
    });
  });

  test("nothing for a connection that failed before", async () => {
    const outcome = await outcomeOf({
      script: ({ verb }) => (verb === "CONNECT" ? { reply: "421 4.3.2 Later" } : undefined),
    });
    expect(outcome).toMatchObject({ result: "delayed" });
    expect(outcome).not.toHaveProperty("tls");
  });
});
