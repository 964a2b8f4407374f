import pino from "pino";
import { beforeEach, expect, test } from "vitest";

import { settings, tlsSessionCounts } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";

import type { TlsConnection } from "./carrier/open-first-peer.ts";
import { createSessionCounter } from "./count-sessions.ts";

const { aSink, aCarrier } = outsideMail();
beforeEach(async () => {
  await db().delete(tlsSessionCounts);
  await db().delete(settings);
});

const log = pino({ level: "silent" });
const ORDER = [tlsSessionCounts.policy, tlsSessionCounts.failure, tlsSessionCounts.sendingIp];
const stored = () =>
  db()
    .select()
    .from(tlsSessionCounts)
    .orderBy(...ORDER);

async function deliver(
  counter: ReturnType<typeof createSessionCounter>,
  mode: "testing" | "none",
  count = 1,
) {
  const carrier = await aCarrier(await aSink({ tls: "offered" }), {
    findPolicy: () => Promise.resolve({ mode, mx: ["mx.there.test"], maxAgeSeconds: 60 }),
    onTls: (connection) => counter.add(connection),
  });
  const results = [];
  for (let at = 0; at < count; at++) {
    const [outcome] = await carrier.deliver({
      route: { kind: "mx", domain: "There.test" },
      envelopeFrom: "b@here.test",
      recipients: ["ann@There.test"],
      message: Buffer.from("Subject: Hi\r\n\r\nHi\r\n"),
    });
    results.push(outcome!);
  }
  return results;
}

test("connections are counted by domain, not messages, and by what a policy makes of them", async () => {
  const counter = createSessionCounter({ db: db(), log });
  await deliver(counter, "none", 2);
  const [tested] = await deliver(counter, "testing");
  // The sink's certificate isn't trusted.
  expect(tested).toMatchObject({
    result: "delivered",
    tls: expect.stringMatching(/^mta-sts-testing certificate-not-trusted TLSv1\.3 /) as string,
  });
  await counter.flush();
  await counter.flush();
  expect(await stored()).toMatchObject([
    {
      domain: "there.test",
      policy: "mta-sts-testing",
      host: "mx.there.test",
      sessions: 1,
      failure: "certificate-not-trusted",
    },
    { domain: "there.test", policy: "opportunistic", host: "", failure: "", sessions: 1 },
  ]);
});

test("failed connections are counted with their public addresses, hosts with their TLSA records", async () => {
  const counter = createSessionCounter({ db: db(), log });
  const records = ["_25._tcp.mx.there.test. IN TLSA 3 1 1 00"];
  const connection: TlsConnection = {
    domain: "there.test",
    host: "mx.there.test",
    from: "8.8.8.8",
    to: "9.9.9.9",
    records,
    outcome: { policy: "dane", result: "tlsa-invalid", encryption: null },
  };
  const encryption = { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" };
  counter.add(connection);
  counter.add({ ...connection, from: "10.0.0.1" });
  counter.add({ ...connection, outcome: { policy: "dane", result: "valid", encryption } });
  await counter.flush();
  const common = { policy: "dane", host: "mx.there.test", records: records[0], sessions: 1 };
  const failed = { ...common, failure: "tlsa-invalid", receivingIp: "9.9.9.9" };
  expect(await stored()).toMatchObject([
    { ...common, failure: "", sendingIp: "", receivingIp: "" },
    { ...failed, sendingIp: "" },
    { ...failed, sendingIp: "8.8.8.8" },
  ]);
});

test("TLSA records that change between connections are stored once", async () => {
  const counter = createSessionCounter({ db: db(), log });
  const outcome = { policy: "dane", result: "tlsa-invalid", encryption: null } as const;
  for (const records of [["a"], ["b"]])
    counter.add({ domain: "b.test", host: "mx.b.test", from: null, to: null, records, outcome });
  await counter.flush();
  expect(await stored()).toMatchObject([{ records: "b", sessions: 2 }]);
});

test("nothing is stored when TLS reports are off", async () => {
  await changeSetting(db(), "tls_reports", "off");
  const counter = createSessionCounter({ db: db(), log });
  await deliver(counter, "none");
  await counter.flush();
  expect(await stored()).toEqual([]);
});
