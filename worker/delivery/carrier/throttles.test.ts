import type { Outcome } from "#mail/smtp/outcome.ts";
import { expect, test, vi } from "vitest";

import { providerOfHosts } from "#server/core/platform/monitoring/mail-provider.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import type { SinkScript } from "#server/testing/smtp-sink-script.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";
import type { Limits } from "#worker/delivery/shaping/limits.ts";

const { aSink, aCarrier } = outsideMail();

const MINUTE = 60_000;

const to = (recipient: string): Delivery => ({
  route: { kind: "mx", domain: recipient.split("@")[1]! },
  envelopeFrom: "bounce@here.test",
  recipients: [recipient],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});
const many = (count: number, domain = "there.test") =>
  Array.from({ length: count }, (_, at) => to(`r${at}@${domain}`));

const results = (outcomes: Outcome[]) => outcomes.map(({ result }) => result);
const postponed = (outcomes: Outcome[]) =>
  outcomes.filter(({ notAttempted }) => notAttempted).length;

/** A mail server that replies `reply` at a step while `isStrict` says so, and a carrier with a clock of its own. */
async function aStrictHost(
  reply: string,
  step: "CONNECT" | "MAIL" | "RCPT" | "DOT",
  isStrict: SinkScript = () => ({}),
) {
  const strict = { is: true };
  const clock = { now: Date.now() };
  const limited: [string, Limits][] = [];
  const sink = await aSink({
    script: (given) =>
      strict.is && given.verb === step && isStrict(given) ? { reply } : undefined,
  });
  const carrier = await aCarrier(sink, {
    findProvider: (hosts) => providerOfHosts(hosts, { "big.test": "big" }),
    shaping: { now: () => clock.now, onLimited: (key, limits) => limited.push([key, limits]) },
    timeouts: { idleMs: 20 },
    zones: {
      "a.test": { MX: ["10 a.mx.big.test"] },
      "b.test": { MX: ["10 b.mx.big.test"] },
      "a.mx.big.test": { A: ["127.0.0.1"] },
      "b.mx.big.test": { A: ["127.0.0.1"] },
      "shared.test": { MX: ["10 mx.there.test"] },
    },
  });
  const send = async (deliveries: Delivery[]) =>
    (await Promise.all(deliveries.map((one) => carrier.deliver(one)))).flat();
  const attempts = () => sink.commands.filter((line) => line.startsWith("MAIL")).length;
  return { sink, carrier, clock, strict, limited, send, attempts };
}

test.each([
  ["after the message", "421 4.7.28 Our system has detected an unusual rate", "DOT"],
  ["at MAIL", "421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints", "MAIL"],
] as const)(
  "a provider slows this machine down %s: nothing more is attempted, and one message goes first later",
  async (_, reply, step) => {
    const { clock, strict, limited, send, attempts } = await aStrictHost(reply, step);

    const first = await send(many(40, "a.test"));
    expect(new Set(results(first))).toEqual(new Set(["delayed"]));
    const told = first.filter(({ notAttempted }) => !notAttempted);
    expect(new Set(told.map(({ message }) => message))).toEqual(new Set([reply]));
    const sent = attempts();
    expect(sent).toBeLessThanOrEqual(4);
    expect(postponed(first)).toBeGreaterThanOrEqual(36);
    expect(limited.map(([key]) => key)).toEqual(["big"]);
    for (const { retryAt } of first) expect(retryAt).toBeGreaterThanOrEqual(clock.now + MINUTE);

    expect(postponed(await send(many(5, "b.test")))).toBe(5);
    expect(attempts()).toBe(sent);

    clock.now += MINUTE;
    expect(postponed(await send(many(8, "b.test")))).toBe(7);
    expect(attempts()).toBe(sent + 1);
    expect(limited.at(-1)).toMatchObject(["big", { level: 2 }]);

    strict.is = false;
    clock.now += 2 * MINUTE;
    const [probe] = await send(many(1, "a.test"));
    expect(probe!.result).toBe("delivered");
    clock.now += MINUTE;
    expect(results(await send(many(1, "b.test")))).toEqual(["delivered"]);
  },
);

test("too many connections: mail continues over those that the host accepts", async () => {
  let open = 0;
  const { sink, limited, send } = await aStrictHost(
    "421 4.7.0 Too many connections",
    "CONNECT",
    () => (++open > 3 ? {} : undefined),
  );
  const outcomes = await send(many(200));
  expect(new Set(results(outcomes))).toEqual(new Set(["delivered"]));
  const [key, limits] = limited[0]!;
  expect([key, limits.perMinute]).toEqual(["mx 10 mx.there.test", null]);
  expect(limits.connections).toBeLessThanOrEqual(3);
  expect(sink.connections.opened).toBeLessThan(10);
});

test("a rate limit of one domain behind shared hosts delays that domain only", async () => {
  const { send, attempts, clock } = await aStrictHost(
    "450 4.7.1 Too many messages from 192.0.2.1 this hour",
    "RCPT",
    ({ address }) => (address.endsWith("@shared.test") ? {} : undefined),
  );
  expect(results(await send(many(1, "shared.test")))).toEqual(["delayed"]);
  const before = attempts();
  expect(postponed(await send(many(5, "shared.test")))).toBe(5);
  expect(attempts()).toBe(before);
  expect(results(await send(many(5)))).toEqual(Array(5).fill("delivered"));
  clock.now += MINUTE;
  expect(postponed(await send(many(1, "shared.test")))).toBe(0);
});

test.each([
  [
    "the limit of a recipient",
    "450 4.2.1 The user you are trying to contact is receiving email at a rate",
  ],
  [
    "the limit of a sender's domain",
    "421 4.7.28 An unusual rate of mail from your DKIM domain [here.test 36]",
  ],
])("%s suspends nothing", async (_, reply) => {
  const { send, limited } = await aStrictHost(reply, "RCPT", ({ address }) =>
    address.startsWith("r0@") ? {} : undefined,
  );
  const outcomes = await send(many(4, "a.test"));
  expect(results(outcomes).toSorted()).toEqual(["delayed", ...Array<string>(3).fill("delivered")]);
  expect(limited).toEqual([]);
});

test.each([
  ["a destination", "421 4.7.28 Unusual rate of mail from your IP address", "a.test"],
  ["a domain", "450 4.7.1 Too many messages from 192.0.2.1 this hour", "there.test"],
])('"Retry now" lifts the suspension of %s for one message', async (...given) => {
  const [, reply, domain] = given;
  const { send, attempts, clock, strict, limited } = await aStrictHost(reply, "RCPT");
  await send(many(1, domain));
  const route = { kind: "mx", domain } as const;
  const retry = (count: number, retryAskedAt: number) =>
    send(many(count, domain).map((one) => ({ ...one, route, retryAskedAt })));
  const before = attempts();
  expect(postponed(await retry(1, clock.now - 1))).toBe(1);
  expect(attempts()).toBe(before);

  const askedAt = (clock.now += 1_000);
  expect(postponed(await retry(1, askedAt))).toBe(0);
  expect(attempts()).toBe(before + 1);
  expect(limited.at(-1)![1]).toMatchObject({ level: 1, suspendedUntil: clock.now + MINUTE });
  clock.now += 1_000;
  expect(postponed(await retry(5, askedAt))).toBe(5);

  strict.is = false;
  expect(results(await retry(1, (clock.now += 1_000)))).toEqual(["delivered"]);
  clock.now += MINUTE;
  expect(results(await send(many(1, domain)))).toEqual(["delivered"]);
});

test("stored limits apply to a new carrier", async () => {
  const reply = "421 4.7.28 Our system has detected an unusual rate of mail from your IP address";
  const { limited, send } = await aStrictHost(reply, "DOT");
  await send(many(3, "a.test"));
  const [key, limits] = limited[0]!;
  const next = await aStrictHost(reply, "DOT");
  next.carrier.restoreLimits(key, limits);
  expect(postponed(await next.send(many(3, "b.test")))).toBe(3);
  expect(next.attempts()).toBe(0);
  expect(next.carrier.postpone({ kind: "mx", domain: "b.test" })).toMatchObject({
    notAttempted: "suspended",
  });
  expect(next.limited).toEqual([]);
});

test("a destination without a reachable host isn't retried for two minutes", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const sink = await aSink();
    await sink.close();
    const carrier = await aCarrier(sink);
    const [first] = await carrier.deliver(to("ann@there.test"));
    expect(first).toMatchObject({ result: "delayed", dsn: "4.4.1" });
    const again = await aSink({ port: sink.port });
    expect(await carrier.deliver(to("bob@there.test"))).toMatchObject([{ dsn: "4.4.1" }]);
    expect(again.connections.opened).toBe(0);
    const asked = { ...to("cay@there.test"), retryAskedAt: Date.now() + MINUTE };
    expect(await carrier.deliver(asked)).toMatchObject([{ result: "delivered" }]);
    vi.advanceTimersByTime(3 * MINUTE);
    expect(await carrier.deliver(to("bob@there.test"))).toMatchObject([{ result: "delivered" }]);
  } finally {
    vi.useRealTimers();
  }
});

test("a transaction ends in time, however slowly each step is answered", async () => {
  const sink = await aSink({
    pipelining: false,
    script: ({ verb }) => (verb === "RCPT" ? { delayMs: 60 } : undefined),
  });
  const carrier = await aCarrier(sink, { timeouts: { transactionMs: 150 } });
  const recipients = Array.from({ length: 20 }, (_, at) => `r${at}@there.test`);
  const outcomes = await carrier.deliver({ ...to("r@there.test"), recipients });
  expect(results(outcomes)).toEqual(recipients.map(() => "delayed"));
  expect(outcomes[0]!.message).toContain("did not answer in time");
  expect(sink.messages).toEqual([]);
});
