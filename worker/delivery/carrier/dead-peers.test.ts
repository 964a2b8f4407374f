import { once } from "node:events";
import { createServer } from "node:net";

import { afterEach, expect, test, vi } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";

const { aSink, aCarrier, endWith } = outsideMail();
afterEach(() => vi.useRealTimers());

const MINUTE_MS = 60_000;

test("an address that didn't respond is tried last for five minutes", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const sink = await aSink({ host: "127.0.0.2" });
  let attempts = 0;
  const silent = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  silent.listen(sink.port, "127.0.0.3");
  await once(silent, "listening");
  endWith(() => new Promise((resolve) => silent.close(() => resolve())));
  const carrier = await aCarrier(sink, {
    zones: { "there.test": { A: ["127.0.0.3", "127.0.0.2"] } },
    timeouts: { idleMs: 1 },
  });
  const deliver = async () => {
    const [outcome] = await carrier.deliver({
      route: { kind: "mx", domain: "there.test" },
      envelopeFrom: "bounce@here.test",
      recipients: ["ann@there.test"],
      message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    });
    expect(outcome!.result).toBe("delivered");
    await vi.waitFor(() => expect(sink.connections.open).toBe(0));
  };

  await deliver();
  await deliver();
  expect(attempts).toBe(1);

  vi.advanceTimersByTime(6 * MINUTE_MS);
  await deliver();
  expect(attempts).toBe(2);
});
