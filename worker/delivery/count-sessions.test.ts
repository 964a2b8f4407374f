import pino from "pino";
import { beforeEach, expect, test } from "vitest";

import { settings, tlsSessionCounts } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";

import { createSessionCounter } from "./count-sessions.ts";

const { aSink, aCarrier } = outsideMail();
beforeEach(async () => {
  await db().delete(tlsSessionCounts);
  await db().delete(settings);
});

const log = pino({ level: "silent" });
const stored = () => db().select().from(tlsSessionCounts).orderBy(tlsSessionCounts.policy);

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
      ...{ route: { kind: "mx", domain: "There.test" }, envelopeFrom: "b@here.test" },
      ...{ recipients: ["ann@There.test"], message: Buffer.from("Subject: Hi\r\n\r\nHi\r\n") },
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
      ...{ domain: "there.test", policy: "mta-sts-testing", host: "mx.there.test", sessions: 1 },
      failure: "certificate-not-trusted",
    },
    { domain: "there.test", policy: "opportunistic", host: "", failure: "", sessions: 1 },
  ]);
});

test("nothing is stored when TLS reports are off", async () => {
  await changeSetting(db(), "tls_reports", "off");
  const counter = createSessionCounter({ db: db(), log });
  await deliver(counter, "none");
  await counter.flush();
  expect(await stored()).toEqual([]);
});
