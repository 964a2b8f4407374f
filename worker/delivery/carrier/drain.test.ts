import type { Outcome } from "#mail/smtp/outcome.ts";
import { expect, test, vi } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

const { aSink, aCarrier } = outsideMail();

const to = (recipient: string): Delivery => ({
  route: { kind: "mx", domain: "there.test" },
  envelopeFrom: "bounce@here.test",
  recipients: [recipient],
  message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
});

const stateOf = ([outcome]: Outcome[]) =>
  outcome!.notAttempted === "draining" ? "unsent" : outcome!.result;

test.each([true, false])(
  "a draining carrier waits for the reply to a sent message and sends no other (pipelining: %s)",
  async (pipelining) => {
    const dots: string[] = [];
    const sink = await aSink({
      pipelining,
      script: ({ verb, recipients }) => {
        if (verb !== "DOT") return undefined;
        dots.push(recipients[0]!);
        return { delayMs: 1_000 };
      },
    });
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });
    const sending = ["a", "b", "c"].map((local) => carrier.deliver(to(`${local}@there.test`)));
    await vi.waitFor(() => expect(dots).toEqual(["a@there.test"]));

    await carrier.drain();
    expect(sink.messages.map(({ recipients }) => recipients)).toEqual([["a@there.test"]]);
    const outcomes = await Promise.all([...sending, carrier.deliver(to("late@there.test"))]);
    expect(outcomes.map(stateOf)).toEqual(["delivered", "unsent", "unsent", "unsent"]);
    expect(sink.accepted()).toBe(1);
  },
);

test("a draining carrier does not wait for a server that is slow before the message", async () => {
  const delayMs = 20_000;
  const sink = await aSink({
    script: ({ verb }) => (verb === "RCPT" ? { delayMs } : undefined),
  });
  const carrier = await aCarrier(sink);
  const sending = carrier.deliver(to("a@there.test"));
  await vi.waitFor(() => expect(sink.commands.some((line) => /^RCPT/.test(line))).toBe(true));

  const startedAt = performance.now();
  await carrier.drain();
  expect(stateOf(await sending)).toBe("unsent");
  expect(performance.now() - startedAt).toBeLessThan(delayMs);
});

test.each([true, false])(
  "a revoked message is not sent, even after its envelope (pipelining: %s)",
  async (pipelining) => {
    const sink = await aSink({ pipelining });
    const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });
    const asked: string[] = [];
    const outcomes = await Promise.all(
      ["early", "mine", "late", "last"].map((local) =>
        carrier.deliver({
          ...to(`${local}@there.test`),
          mayBegin: () => {
            asked.push(local);
            const times = asked.filter((one) => one === local).length;
            return local === "early" ? false : local !== "late" || times < 2;
          },
        }),
      ),
    );
    expect(outcomes.map(([outcome]) => outcome!.notAttempted ?? outcome!.result)).toEqual([
      "revoked",
      "delivered",
      "revoked",
      "delivered",
    ]);
    expect(sink.accepted()).toBe(2);
    expect(sink.commands.filter((line) => line.includes("early"))).toEqual([]);
  },
);
