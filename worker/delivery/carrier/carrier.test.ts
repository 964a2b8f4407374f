import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

const MESSAGE = Buffer.from("From: a@here.test\r\nSubject: Hello\r\n\r\nHello\r\n.dot\r\n..\r\n");

const { aSink, aCarrier } = outsideMail();

const to = (recipients: string[], delivery: Partial<Delivery> = {}): Delivery => ({
  route: { kind: "mx", domain: "there.test" },
  envelopeFrom: "bounce+1@here.test",
  recipients,
  message: MESSAGE,
  ...delivery,
});

describe("A delivery to the mail server of a domain", () => {
  test("transfers the message unchanged to every recipient, and returns the host's reply", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const outcomes = await carrier.deliver(to(["ann@there.test", "bob@there.test"]));

    expect(outcomes).toEqual(
      ["ann@there.test", "bob@there.test"].map((recipient) => ({
        recipient,
        host: "mx.there.test",
        address: "127.0.0.1",
        result: "delivered",
        dsn: "2.0.0",
        message: "250 2.0.0 Stored",
        suppress: false,
        tls: "opportunistic starttls-not-supported",
        messageHash: createHash("sha256").update(MESSAGE).digest("hex"),
      })),
    );
    expect(sink.messages).toHaveLength(1);
    expect(sink.messages[0]).toMatchObject({
      from: "bounce+1@here.test",
      recipients: ["ann@there.test", "bob@there.test"],
      raw: MESSAGE,
    });
    expect(sink.commands[0]).toBe("EHLO mail.here.test");
  });

  test("returns an outcome per recipient", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const outcomes = await carrier.deliver(
      to(["bounce@there.test", "ann@there.test", "defer@there.test", "full@there.test"]),
    );

    expect(outcomes.map(({ result, dsn, suppress }) => [result, dsn, suppress])).toEqual([
      ["bounced", "5.1.1", true],
      ["delivered", "2.0.0", false],
      ["delayed", "4.2.0", false],
      ["bounced", "5.2.2", true],
    ]);
    expect(sink.messages[0]?.recipients).toEqual(["ann@there.test"]);
  });

  test("doesn't suppress recipients that share a reply, and retries those that were too many", async () => {
    const sink = await aSink({
      script: ({ verb, address }) => {
        if (verb === "DOT") return { reply: "550 5.1.1 <bob@there.test> No such user" };
        return verb === "RCPT" && address === "eve@there.test"
          ? { reply: "552 Enough" }
          : undefined;
      },
    });
    const carrier = await aCarrier(sink);
    const recipients = ["ann@there.test", "bob@there.test", "eve@there.test"];

    const outcomes = await carrier.deliver(to(recipients));

    expect(outcomes.map(({ result, suppress }) => [result, suppress])).toEqual([
      ["bounced", false],
      ["bounced", false],
      ["delayed", false],
    ]);
    expect(await carrier.deliver(to(["bob@there.test"]))).toMatchObject([{ suppress: true }]);
  });

  test.each([
    ["pipelining", true],
    ["no pipelining", false],
  ])("stays in sync when no recipient was accepted (%s)", async (_, pipelining) => {
    const sink = await aSink({ pipelining });
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });

    const outcomes = await Promise.all(
      ["bounce", "ann", "defer", "dot-554", "bob"].map((local) =>
        carrier.deliver(to([`${local}@there.test`])),
      ),
    );

    expect(outcomes.flat().map(({ result }) => result)).toEqual([
      "bounced",
      "delivered",
      "delayed",
      "bounced",
      "delivered",
    ]);
    expect(sink.connections.opened).toBe(1);
    // With pipelining only, DATA is sent before the client knows that it is pointless.
    expect(sink.commands.filter((line) => line === "DATA")).toHaveLength(pipelining ? 5 : 3);
  });

  test("keeps the connection in sync when DATA is rejected, or accepted without recipients", async () => {
    let reply = "451 4.3.0 Not now";
    const sink = await aSink({ script: ({ verb }) => (verb === "DATA" ? { reply } : undefined) });
    const carrier = await aCarrier(sink);

    const [refused] = await carrier.deliver(to(["ann@there.test"]));
    expect(refused).toMatchObject({ result: "delayed", dsn: "4.3.0" });

    reply = "354 Go on";
    sink.setScript(({ verb, address }) => {
      if (verb === "DATA") return { reply };
      return verb === "RCPT" && address.startsWith("gone") ? { reply: "550 5.1.1 No" } : undefined;
    });
    const [gone] = await carrier.deliver(to(["gone@there.test"]));
    const [taken] = await carrier.deliver(to(["bob@there.test"]));

    expect([gone?.dsn, taken?.result]).toEqual(["5.1.1", "delivered"]);
    expect(sink.connections.opened).toBe(1);
  });

  test("reports a rejected sender for all recipients and suppresses none of them", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const outcomes = await carrier.deliver(
      to(["ann@there.test", "bob@there.test"], { envelopeFrom: "mail-550@here.test" }),
    );

    expect(outcomes.map(({ result, suppress }) => [result, suppress])).toEqual([
      ["bounced", false],
      ["bounced", false],
    ]);
  });

  test("carries a message larger than a block, and one without a final line break", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);
    const large = Buffer.from(".A line of a large message\r\n".repeat(60_000));

    await carrier.deliver(to(["ann@there.test"], { message: large }));
    await carrier.deliver(to(["bob@there.test"], { message: Buffer.from("Subject: x\r\n\r\n.") }));

    expect(sink.messages[0]?.raw.equals(large)).toBe(true);
    expect(sink.messages[1]?.raw.toString()).toBe("Subject: x\r\n\r\n.\r\n");
  });

  test("splits more recipients than a server must accept", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);
    const recipients = Array.from({ length: 250 }, (_, at) => `r${at}@there.test`);

    const outcomes = await carrier.deliver(to(recipients));

    expect(outcomes.map(({ recipient }) => recipient)).toEqual(recipients);
    expect(sink.messages.map((message) => message.recipients.length)).toEqual([100, 100, 50]);
  });
});

describe("The extensions a host announces", () => {
  test("are used: SIZE, and 8BITMIME only for a message that needs it", async () => {
    const sink = await aSink({ size: 50_000_000 });
    const carrier = await aCarrier(sink);
    const message = Buffer.from("Subject: x\r\n\r\nGrüße\r\n");

    await carrier.deliver(to(["ann@there.test"]));
    await carrier.deliver(to(["ann@there.test"], { message }));

    expect(sink.messages.map(({ parameters }) => parameters)).toEqual([
      `SIZE=${MESSAGE.length}`,
      `SIZE=${message.length} BODY=8BITMIME`,
    ]);
  });

  test("are not used if they are not announced", async () => {
    const sink = await aSink({ eightBit: false, pipelining: false });
    const carrier = await aCarrier(sink);

    const message = Buffer.from("\r\nGrüße\r\n");
    const ascii = Buffer.from("\r\nin ASCII\r\n");
    const sevenBit = () => Promise.resolve(ascii);

    const fixed = await carrier.deliver(to(["ann@there.test"], { message }));
    const converted = await carrier.deliver(to(["bob@there.test"], { message, sevenBit }));

    expect([...fixed, ...converted].map(({ dsn }) => dsn)).toEqual(["5.6.3", "2.0.0"]);
    expect(sink.messages.map(({ parameters, raw }) => [parameters, raw])).toEqual([["", ascii]]);
  });

  test("are none if EHLO is rejected, and HELO is used", async () => {
    const sink = await aSink({ ehloRefused: true, pipelining: false });
    const carrier = await aCarrier(sink);

    const [outcome] = await carrier.deliver(to(["ann@there.test"]));

    expect(outcome?.result).toBe("delivered");
    expect(sink.commands.slice(0, 2)).toEqual(["EHLO mail.here.test", "HELO mail.here.test"]);
  });

  test("determine how non-ASCII addresses are sent, separately from other recipients", async () => {
    const plain = await aSink();
    const able = await aSink({ smtputf8: true });
    const recipients = ["ann@there.test", "jürgen@there.test"];

    const refused = await (await aCarrier(plain)).deliver(to(recipients));
    const taken = await (await aCarrier(able)).deliver(to(recipients));

    expect(refused.map(({ dsn }) => dsn)).toEqual(["2.0.0", "5.6.7"]);
    expect(taken.map(({ result }) => result)).toEqual(["delivered", "delivered"]);
    expect(able.messages.map(({ parameters }) => parameters).sort()).toEqual(["", "SMTPUTF8"]);
  });
});

describe("Invalid input", () => {
  test.each([
    "ann@there.test>\r\nRCPT TO:<eve@there.test",
    "ann@there.test\nDATA",
    "ann\0@there.test",
    '"ann lee"@there.test',
    "<ann@there.test>",
    `${"a".repeat(300)}@there.test`,
  ])("is never sent: recipient %j", async (recipient) => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const outcomes = await carrier.deliver(to([recipient, "bob@there.test"]));

    expect(outcomes.map(({ result, dsn }) => [result, dsn])).toEqual([
      ["bounced", "5.1.3"],
      ["delivered", "2.0.0"],
    ]);
    expect(sink.messages[0]?.recipients).toEqual(["bob@there.test"]);
  });

  test("is never sent: a sender with a line break", async () => {
    const sink = await aSink();
    const carrier = await aCarrier(sink);

    const [outcome] = await carrier.deliver(
      to(["ann@there.test"], { envelopeFrom: "a@here.test>\r\nRCPT TO:<eve@there.test" }),
    );

    expect(outcome).toMatchObject({ result: "bounced", dsn: "5.1.7", suppress: false });
    expect(sink.connections.opened).toBe(0);
  });

  test.each(["a\nb\r\n", "a\rb\r\n", "a\r\n.\n", "a\r", "\n.\r\nMAIL FROM:<x@y.test>\r\n"])(
    "is never sent: a message with a bare line break, %j",
    async (text) => {
      const sink = await aSink();
      const carrier = await aCarrier(sink);

      const [outcome] = await carrier.deliver(
        to(["ann@there.test"], { message: Buffer.from(text) }),
      );

      expect(outcome).toMatchObject({ result: "bounced", dsn: "5.6.0", suppress: false });
      expect(sink.connections.opened).toBe(0);
    },
  );
});
