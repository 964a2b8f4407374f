import { afterEach, expect, test, vi } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

import type { Block } from "./create-carrier.ts";

const { aSink, aCarrier } = outsideMail();
afterEach(() => vi.useRealTimers());

const MINUTE_MS = 60_000;
const BLOCKED = "554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org";

const to = (recipient: string): Delivery => ({
  route: { kind: "mx", domain: recipient.split("@")[1]! },
  envelopeFrom: "bounce@here.test",
  recipients: [recipient],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});
const many = (count: number) => Array.from({ length: count }, (_, at) => to(`r${at}@there.test`));

/** A mail server that rejects this machine at one step until it is stopped. */
async function aBlockingSink(step: "CONNECT" | "MAIL" | "RCPT") {
  const blocking = { is: true };
  const sink = await aSink({
    script: ({ verb }) => (blocking.is && verb === step ? { reply: BLOCKED } : undefined),
  });
  const blocks: Block[] = [];
  const carrier = await aCarrier(sink, {
    connectionsPerHostMax: 1,
    timeouts: { idleMs: 20 },
    onBlocked: (block) => blocks.push(block),
  });
  return { sink, blocking, blocks, carrier };
}

test.each(["CONNECT", "MAIL", "RCPT"] as const)(
  "a block at %s delays all mail for the destination and is reported once",
  async (step) => {
    const { sink, blocks, carrier } = await aBlockingSink(step);

    const outcomes = (await Promise.all(many(30).map((one) => carrier.deliver(one)))).flat();

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        ...{ result: "delayed", dsn: "4.7.1", message: BLOCKED, suppress: false },
      });
    expect(blocks).toEqual([
      {
        destination: "there.test",
        host: step === "CONNECT" ? null : "mx.there.test",
        reply: BLOCKED,
      },
    ]);
    expect(sink.commands.filter((line) => line.startsWith("MAIL")).length).toBeLessThan(3);
  },
);

test("a destination that blocks this machine is skipped for five minutes, then retried", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const { sink, blocking, carrier } = await aBlockingSink("CONNECT");
  await carrier.deliver(to("ann@there.test"));
  blocking.is = false;

  vi.advanceTimersByTime(4 * MINUTE_MS);
  expect(await carrier.deliver(to("ann@there.test"))).toMatchObject([{ result: "delayed" }]);
  expect(sink.connections.opened).toBe(1);

  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect(await carrier.deliver(to("ann@there.test"))).toMatchObject([{ result: "delivered" }]);
});

test("a smarthost's block of one recipient delays that recipient only", async () => {
  const sink = await aSink({
    script: ({ verb, address }) =>
      verb === "RCPT" && address.startsWith("ann") ? { reply: BLOCKED } : undefined,
  });
  const blocks: Block[] = [];
  const carrier = await aCarrier(sink, { onBlocked: (block) => blocks.push(block) });
  const relay = { host: "127.0.0.1", port: sink.port, implicitTls: false, auth: null };
  const through = (recipient: string) =>
    carrier.deliver({ ...to(recipient), route: { kind: "relay", relay } });

  expect(await through("ann@there.test")).toMatchObject([{ result: "delayed" }]);
  expect(await through("bob@there.test")).toMatchObject([{ result: "delivered" }]);
  expect(blocks).toMatchObject([{ destination: "127.0.0.1", reply: BLOCKED }]);
});

test("a rejection of one domain's recipients delays no other domain at the same host", async () => {
  const sink = await aSink({
    script: ({ verb, address }) =>
      verb === "RCPT" && address.endsWith("@evil.test") ? { reply: BLOCKED } : undefined,
  });
  const zones = { "evil.test": { MX: ["10 mx.there.test"] } };
  const carrier = await aCarrier(sink, { zones, connectionsPerHostMax: 1 });

  const first = carrier.deliver(to("eve@evil.test"));
  const behind = [carrier.deliver(to("eva@evil.test")), carrier.deliver(to("ann@there.test"))];
  expect(await first).toMatchObject([{ result: "delayed" }]);
  expect((await Promise.all(behind)).flat()).toMatchObject([
    { result: "delayed" },
    { result: "delivered" },
  ]);
  expect(await carrier.deliver(to("bob@there.test"))).toMatchObject([{ result: "delivered" }]);
  expect(await carrier.deliver(to("eve@evil.test"))).toMatchObject([{ result: "delayed" }]);
  expect(sink.commands.filter((line) => line.includes("evil.test")).length).toBeLessThan(3);
});
