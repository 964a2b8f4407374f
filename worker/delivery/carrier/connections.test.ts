import { describe, expect, test, vi } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

const { aSink, aCarrier } = outsideMail();

const to = (recipient: string, domain = "there.test"): Delivery => ({
  route: { kind: "mx", domain },
  envelopeFrom: "bounce@here.test",
  recipients: [recipient],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `r${at}@there.test`);

describe("Connections", () => {
  test("are kept between deliveries, and closed when idle", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink, { timeouts: { idleMs: 50 } });

    await carrier.deliver(to("ann@there.test"));
    await carrier.deliver(to("bob@there.test"));
    expect(sink.connections.opened).toBe(1);

    await vi.waitFor(() => expect(sink.connections.open).toBe(0));
    expect(sink.commands.at(-1)).toBe("QUIT");
  });

  test("are not closed as idle while a message awaits its reply", async () => {
    const sink = await aSink({
      script: ({ verb }) => (verb === "DOT" ? { delayMs: 300 } : undefined),
    });
    const carrier = await aCarrier(sink, { timeouts: { idleMs: 20 }, connectionsPerHostMax: 1 });

    const outcomes = await Promise.all(many(3).map((recipient) => carrier.deliver(to(recipient))));

    expect(outcomes.flat().map(({ result }) => result)).toEqual(many(3).map(() => "delivered"));
    expect(sink.messages).toHaveLength(3);
    expect(sink.connections.opened).toBe(1);
  });

  test("carry at most a hundred messages each", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });

    await Promise.all(many(250).map((recipient) => carrier.deliver(to(recipient))));

    const perSession = Map.groupBy(sink.messages, ({ session }) => session);
    expect([...perSession.values()].map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  test("are shared by domains with the same mail servers", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink, { zones: { "also.test": { MX: ["10 mx.there.test"] } } });

    await carrier.deliver(to("ann@there.test"));
    await carrier.deliver(to("ann@also.test", "also.test"));

    expect(sink.connections.opened).toBe(1);
  });

  test("never exceed the limit per host, or the total limit", async () => {
    const sink = await aSink({ replyDelayMs: 2 });
    const zones = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`d${at}.test`, { A: ["127.0.0.1"] }]),
    );
    const limits = { connectionsMax: 5, connectionsPerHostMax: 3 };
    const carrier = await aCarrier(sink, { zones, ...limits });

    await Promise.all(many(30).map((recipient) => carrier.deliver(to(recipient))));
    expect(sink.connections.most).toBe(3);

    await Promise.all(
      many(90).map((recipient, at) => carrier.deliver(to(recipient, `d${at % 6}.test`))),
    );
    expect(sink.connections.most).toBe(5);
    expect(sink.accepted()).toBe(120);
  });

  test("are not all used by one destination with much mail", async () => {
    const sink = await aSink();
    const zones = { "small.test": { A: ["127.0.0.1"] } };
    const carrier = await aCarrier(sink, { zones, connectionsMax: 1 });

    const large = Promise.all(many(90).map((recipient) => carrier.deliver(to(recipient))));
    const small = carrier.deliver(to("ann@small.test", "small.test"));
    await Promise.all([large, small]);

    const position = sink.messages.findIndex(
      ({ recipients }) => recipients[0] === "ann@small.test",
    );
    expect(position).toBeLessThan(30);
  });

  test("serve companies in turn, each in the order of its messages", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });

    const send = (companyId: string, names: string[]) =>
      names.map((name) => carrier.deliver({ ...to(`${name}@there.test`), companyId }));
    const large = send("large", ["l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"]);
    await Promise.all([...large, ...send("small", ["s1", "s2"]), ...send("other", ["o1"])]);

    const order = sink.messages.map(({ recipients }) => recipients[0]!.slice(0, 2));
    expect(order.indexOf("s1")).toBeLessThan(4);
    expect(order.indexOf("o1")).toBeLessThan(5);
    expect(order.indexOf("s2")).toBeLessThan(7);
    expect(order.filter((name) => name.startsWith("l")).join()).toBe("l1,l2,l3,l4,l5,l6,l7,l8");
  });

  test("are closed when idle, if another destination needs one", async () => {
    const sink = await aSink();
    const zones = { "small.test": { A: ["127.0.0.1"] } };
    const timeouts = { idleMs: 600_000 };
    const carrier = await aCarrier(sink, { zones, connectionsMax: 1, timeouts });

    await carrier.deliver(to("ann@there.test"));
    await carrier.deliver(to("ann@small.test", "small.test"));
    const busy = carrier.deliver(to("slow@there.test"));
    await carrier.deliver(to("bob@small.test", "small.test"));
    await busy;

    expect(sink.accepted()).toBe(4);
  });

  test("are opened one by one until the host responds", async () => {
    const sink = await aSink({
      script: ({ verb }) => (verb === "CONNECT" ? { drop: "before" } : {}),
    });
    const carrier = await aCarrier(sink);

    const outcomes = await Promise.all(many(20).map((recipient) => carrier.deliver(to(recipient))));

    expect(outcomes.flat().every(({ result }) => result === "delayed")).toBe(true);
    expect(sink.connections.opened).toBe(1);
  });

  test("stay at the number that the host accepts", async () => {
    let open = 0;
    const sink = await aSink({
      replyDelayMs: 1,
      script: ({ verb }) =>
        verb === "CONNECT" && ++open > 2 ? { reply: "421 4.7.0 Too many connections" } : undefined,
    });
    const carrier = await aCarrier(sink);

    const outcomes = await Promise.all(many(60).map((recipient) => carrier.deliver(to(recipient))));

    expect(outcomes.flat().every(({ result }) => result === "delivered")).toBe(true);
    expect(sink.connections.opened).toBeLessThan(10);
  });

  test("are closed by close(), after the deliveries in progress", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const delivering = carrier.deliver(to("slow@there.test"));
    await carrier.close();

    expect((await delivering)[0]?.result).toBe("delivered");
    await vi.waitFor(() => expect(sink.connections.open).toBe(0));
  });
});

describe("Pipelining", () => {
  test("sends an envelope in one go, and the next one right after the message", async () => {
    // The sink also records bytes that come before a reply they must wait for; then close() throws.
    const steps: string[] = [];
    const sink = await aSink({
      script: ({ verb, hasMore }) => {
        steps.push(`${verb}${hasMore ? " and more" : ""}`);
        return undefined;
      },
    });
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });

    await Promise.all(many(2).map((recipient) => carrier.deliver(to(recipient))));

    const envelope = ["MAIL and more", "RCPT and more", "DATA"];
    expect(steps.slice(0, 10)).toEqual([
      "CONNECT",
      "EHLO",
      ...envelope,
      "DOT and more",
      ...envelope,
      "DOT",
    ]);
  });

  test("works with a host that closes the connection after every message", async () => {
    let last = 0;
    const sink = await aSink({
      script: ({ verb, session }) => {
        if (verb !== "MAIL") return undefined;
        const isSecond = session === last;
        last = session;
        return isSecond ? { drop: "before" } : undefined;
      },
    });
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });

    const outcomes = await Promise.all(many(6).map((recipient) => carrier.deliver(to(recipient))));

    expect(outcomes.flat().every(({ result }) => result === "delivered")).toBe(true);
    for (const recipient of many(6)) expect(sink.received(recipient)).toBe(1);
    expect(sink.connections.opened).toBe(6);
  });
});

describe("A connection that breaks", () => {
  test("after the message and before the reply, leaves the message to be retried", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    for (const local of ["drop", "drop-stored"]) {
      const [outcome] = await carrier.deliver(to(`${local}@there.test`));
      expect(outcome).toMatchObject({ result: "delayed", dsn: "4.4.2", suppress: false });
      expect(outcome?.message).toContain("may arrive twice");
    }
    expect(sink.messages.map(({ recipients }) => recipients[0])).toEqual([
      "drop-stored@there.test",
    ]);
  });

  test("while idle has no effect: the next delivery uses a new one", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    await carrier.deliver(to("ann@there.test"));
    sink.disconnectAll();
    const [outcome] = await carrier.deliver(to("bob@there.test"));

    expect(outcome?.result).toBe("delivered");
  });

  test.each([
    ["drops", { drop: "before" as const }],
    ["says 421", { reply: "421 4.4.2 Idle for too long" }],
  ])("at the next MAIL (it %s) has that message retried once on a new one", async (_, action) => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);
    await carrier.deliver(to("ann@there.test"));

    sink.setScript(({ verb, session }) => (verb === "MAIL" && session === 1 ? action : undefined));
    const [outcome] = await carrier.deliver(to("bob@there.test"));
    expect(outcome?.result).toBe("delivered");

    sink.setScript(({ verb }) => (verb === "MAIL" ? action : undefined));
    const [again] = await carrier.deliver(to("eve@there.test"));
    expect(again?.result).toBe("delayed");
    expect(sink.connections.opened).toBe(3);
  });

  test("keeps the rejections that were already received", async () => {
    const sink = await aSink({
      script: ({ verb, address }) => {
        if (verb !== "RCPT") return undefined;
        return address.startsWith("gone")
          ? { reply: "550 5.1.1 Unknown user" }
          : { drop: "before" };
      },
    });
    const carrier = await aCarrier(sink);

    const outcomes = await carrier.deliver({
      ...to(""),
      recipients: ["gone@there.test", "ann@there.test"],
    });

    expect(outcomes.map(({ result }) => result)).toEqual(["bounced", "delayed"]);
  });
});

describe("A slow host", () => {
  test.each(["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "DOT"])("times out at %s", async (slow) => {
    const sink = await aSink({
      script: ({ verb }) => (verb === slow ? { delayMs: 60_000 } : undefined),
    });
    const soon = { greetingMs: 50, commandMs: 50, mailMs: 50, rcptMs: 50 };
    const carrier = await aCarrier(sink, { timeouts: { ...soon, dataMs: 50, acceptMs: 50 } });

    const [outcome] = await carrier.deliver(to("ann@there.test"));

    expect(outcome).toMatchObject({ result: "delayed", dsn: "4.4.2" });
    expect(outcome?.message).toContain("did not answer in time");
  });
});
