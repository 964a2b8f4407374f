import { afterEach, expect, test, vi } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

import type { Block } from "./carrier.ts";

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

type Step = "CONNECT" | "EHLO" | "MAIL" | "RCPT" | "DATA" | "DOT";

/** A mail server that gives one reply at one step until it is stopped. */
async function aBlockingSink(step: Step, reply = BLOCKED) {
  const blocking = { is: true };
  const sink = await aSink({
    script: ({ verb }) => (blocking.is && verb === step ? { reply } : undefined),
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
        result: "delayed",
        dsn: "4.7.1",
        suppress: false,
      });
    const told = outcomes.filter(({ notAttempted }) => !notAttempted);
    expect(told.length).toBeLessThan(3);
    for (const { message } of told) expect(message).toBe(BLOCKED);
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

const from = (companyId: string, recipient: string): Delivery => ({ ...to(recipient), companyId });

test.each<[step: Step, reply: string]>([
  ["MAIL", "550 5.7.1 sender <bad@a.test> black listed #127"],
  ["MAIL", "550 Domain a.test is blacklisted"],
  [
    "MAIL",
    "554 5.7.1 Service unavailable; Sender address [b@a.test] blocked using dbl.spamhaus.org",
  ],
  ["RCPT", "550 5.7.1 Sender is blacklisted by recipient"],
  ["RCPT", "550 Rejected by user blacklist"],
  ["RCPT", "450 4.7.1 <news@a.test>: too many messages, slow down"],
  ["DATA", "550 Your message was banned"],
  [
    "DOT",
    "554 5.7.0 Reject, id=04425-01 - BANNED: multipart/mixed | application/x-msdownload,.exe,setup.exe",
  ],
  ["DOT", "554 5.7.1 Matched map: FROM_BLACKLIST"],
  ["DOT", "451 4.7.1 Message contains banned content"],
  ["DOT", "550 5.7.1 This message contains a link to http://203.0.113.9/ on a block list"],
])("a reply about one message or sender delays no other mail: %s %s", async (step, reply) => {
  const { blocking, blocks, carrier } = await aBlockingSink(step, reply);
  expect(await carrier.deliver(from("a", "ann@there.test"))).toMatchObject([
    {
      result: reply.startsWith("4") ? "delayed" : "bounced",
      message: reply,
      suppress: false,
    },
  ]);
  blocking.is = false;
  expect(await carrier.deliver(from("b", "bob@there.test"))).toMatchObject([
    { result: "delivered" },
  ]);
  expect(blocks).toEqual([]);
});

test.each<[step: Step, reply: string]>([
  ["CONNECT", "554 5.7.1 Your IP is on our block list"],
  ["CONNECT", "421 4.7.0 Too many connections"],
  ["EHLO", "421 4.7.0 [192.0.2.1] Try again later, closing connection. (EHLO)"],
  ["MAIL", BLOCKED],
  ["MAIL", "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred"],
  ["RCPT", "550 <ann@there.test>: mail.here.test is on our deny list"],
  ["RCPT", "450 4.7.1 <ann@there.test>: too much mail from 192.0.2.1"],
  ["DATA", BLOCKED],
  ["DOT", "550 5.7.1 Mail of <a@a.test> blocked: your IP has a poor reputation"],
])("a company doesn't see the reply to another company's mail: %s %s", async (step, reply) => {
  const { sink, blocks, carrier } = await aBlockingSink(step, reply);
  const waiting = ["ann", "bob", "cay", "dan", "eve"].map((name, at) =>
    carrier.deliver(from(at === 0 ? "a" : "b", `${name}@there.test`)),
  );
  const [first, ...others] = (await Promise.all(waiting)).flat();
  expect(first).toMatchObject({ result: "delayed", message: reply });
  const attempts = sink.commands.filter((line) => line.startsWith("MAIL")).length;
  const later = await carrier.deliver(from("b", "fay@there.test"));
  const postponed = [...others, ...later].filter(({ notAttempted }) => notAttempted);
  expect(postponed.length).toBeGreaterThanOrEqual(6 - Math.max(1, attempts));
  for (const { message } of postponed)
    expect(message).toMatch(
      /^there\.test is limiting mail from this server\. Sending is paused until [\d-]+ [\d:]+ UTC$/,
    );
  for (const { reply: reported } of blocks) expect(reported).toBe(reply);
  expect(blocks).toHaveLength(reply.startsWith("5") ? 1 : 0);
});

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
