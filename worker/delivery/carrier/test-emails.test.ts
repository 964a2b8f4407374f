import { expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery, Route } from "#worker/delivery/delivery.ts";

const { aSink, aCarrier } = outsideMail();

const aDelivery = (route: Route): Delivery => ({
  route,
  envelopeFrom: "b@here.test",
  recipients: ["ann@there.test", "bounced+5.2.2@test.mail.here.test"],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});
const RELAY = { host: "127.0.0.1", implicitTls: false, auth: null };

test("opens no connection for a test email, whatever its route", async () => {
  const sink = await aSink();
  const carrier = await aCarrier(sink);
  const routes: Route[] = [
    { kind: "mx", domain: "there.test" },
    { kind: "relay", relay: { ...RELAY, port: sink.port } },
    { kind: "lmtp", at: { path: "/nowhere" } },
  ];
  for (const route of routes)
    expect(await carrier.deliver({ ...aDelivery(route), testFailures: [0, 0] })).toMatchObject([
      { recipient: "ann@there.test", result: "delivered", suppress: false },
      { result: "bounced", dsn: "5.2.2", suppress: false },
    ]);
  expect(sink.connections.opened).toBe(0);

  // The same without `testFailures` connects.
  await carrier.deliver(aDelivery(routes[0]!));
  expect(sink.connections.opened).toBeGreaterThan(0);
});

test("can't connect for the route of test emails", async () => {
  const carrier = await aCarrier(await aSink());
  await expect(carrier.deliver(aDelivery({ kind: "simulated" }))).rejects.toThrow("can't be sent");
});
