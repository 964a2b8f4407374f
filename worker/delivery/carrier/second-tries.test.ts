import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { SinkAction, SinkScript } from "#server/testing/smtp-sink-script.ts";

import { sendOrConvert } from "./second-tries.ts";

test("an error while a message is converted delays it, because a part of it may be delivered already", async () => {
  const transaction = { from: "", recipients: ["ann@there.test"], message: Buffer.from("ä") };
  const convert = () => Promise.reject(new Error("no key"));
  const [outcome] = await sendOrConvert(transaction, convert, () =>
    Promise.resolve({ lacks: "eightBit", peer: "mx.there.test" }),
  );
  expect(outcome).toMatchObject({
    result: "delayed",
    dsn: "4.3.0",
    message: "The message could not be converted to ASCII: Error: no key",
  });
});

const { aSink, aCarrier, endWith } = outsideMail();

const ZONES = {
  "there.test": { MX: ["10 first.test", "20 second.test"] },
  "first.test": { A: ["127.0.0.1"] },
  "second.test": { A: ["127.0.0.2"] },
};

const at =
  (step: string, action: SinkAction): SinkScript =>
  ({ verb }) =>
    verb === step ? action : undefined;

/** Two mail servers of there.test, and a delivery to some of its recipients. */
async function twoHosts(first: SinkScript, second: SinkScript = () => undefined) {
  const preferred = await aSink({ script: first });
  const other = await aSink({ script: second, host: "127.0.0.2", port: preferred.port });
  const carrier = await aCarrier(preferred, { zones: ZONES });
  const deliver = (...names: string[]) =>
    carrier.deliver({
      route: { kind: "mx", domain: "there.test" },
      envelopeFrom: "bounce@here.test",
      recipients: names.map((name) => `${name}@there.test`),
      message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    });
  return { preferred, other, deliver };
}

test.each<[string, SinkScript]>([
  ["4xx to MAIL", at("MAIL", { reply: "452 4.3.1 Insufficient system storage" })],
  ["421 to MAIL", at("MAIL", { reply: "421 4.3.0 Shutting down" })],
  ["4xx to RCPT", at("RCPT", { reply: "451 4.3.0 Local problem" })],
  ["4xx to DATA", at("DATA", { reply: "451 Local error in processing" })],
  ["4xx to the content", at("DOT", { reply: "451 4.3.0 Queue file write error" })],
  ["connection lost at MAIL", at("MAIL", { drop: "before" })],
  ["connection lost at RCPT", at("RCPT", { drop: "before" })],
])("%s: the next mail server gets the message in the same attempt", async (_, script) => {
  const { preferred, other, deliver } = await twoHosts(script);
  const [outcome] = await deliver("ann");
  expect(outcome).toMatchObject({
    result: "delivered",
    host: "second.test",
    address: "127.0.0.2",
  });
  expect(preferred.accepted()).toBe(0);
  expect(other.messages.map(({ recipients }) => recipients)).toEqual([["ann@there.test"]]);
});

test.each<[string, SinkScript]>([
  ["greylisting", at("RCPT", { reply: "451 4.7.1 Greylisted, try again in 300 seconds" })],
  ["greylisting without a code", at("RCPT", { reply: "450 You are greylisted" })],
  ["a throttle", at("MAIL", { reply: "421 4.7.0 Too many connections from your IP" })],
  ["a rate limit", at("RCPT", { reply: "452 4.2.1 Rate limit exceeded for this user" })],
  ["a permanent rejection", at("RCPT", { reply: "550 5.1.1 No such user" })],
  ["a connection lost after the content", at("DOT", { drop: "after" })],
])("%s is not tried at the next mail server", async (_, script) => {
  const { other, deliver } = await twoHosts(script);
  const [outcome] = await deliver("ann");
  expect(outcome!.result).not.toBe("delivered");
  expect(other.connections.opened).toBe(0);
});

test("only delayed recipients are tried again, and only a final reply counts", async () => {
  const first: SinkScript = ({ verb, address }) =>
    verb === "RCPT" && !address.startsWith("ann") ? { reply: "451 4.3.0 Trouble" } : undefined;
  const second: SinkScript = ({ verb, address }) => {
    if (verb !== "RCPT") return undefined;
    if (address.startsWith("gone")) return { reply: "550 5.1.1 User unknown" };
    if (address.startsWith("relay")) return { reply: "554 5.7.1 Relay access denied" };
    return address.startsWith("slow") ? { reply: "451 4.3.2 Also in trouble" } : undefined;
  };
  const { other, deliver } = await twoHosts(first, second);
  const outcomes = await deliver("ann", "bob", "gone", "relay", "slow");
  expect(outcomes.map(({ result, host, message }) => [result, host, message])).toEqual([
    ["delivered", "first.test", expect.anything()],
    ["delivered", "second.test", expect.anything()],
    ["bounced", "second.test", "550 5.1.1 User unknown"],
    ["delayed", "first.test", "451 4.3.0 Trouble"],
    ["delayed", "first.test", "451 4.3.0 Trouble"],
  ]);
  expect(other.messages.map(({ recipients }) => recipients)).toEqual([["bob@there.test"]]);
});

test("a large message that was cut off is tried at the next mail server", async () => {
  const cutting = createServer((socket) => {
    socket.write("220 first.test\r\n");
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      if (/^Subject/m.test(data.toString("latin1"))) socket.destroy();
      else socket.write(/^DATA/m.test(data.toString()) ? "354 Go on\r\n" : "250 OK\r\n");
    });
  }).listen(0, "127.0.0.1");
  endWith(() => Promise.resolve(void cutting.close()));
  await once(cutting, "listening");
  const { port } = cutting.address() as AddressInfo;
  const other = await aSink({ host: "127.0.0.2", port });
  const carrier = await aCarrier({ port }, { zones: ZONES });
  const [outcome] = await carrier.deliver({
    route: { kind: "mx", domain: "there.test" },
    envelopeFrom: "bounce@here.test",
    recipients: ["ann@there.test"],
    message: Buffer.from(`Subject: Large\r\n\r\n${"line\r\n".repeat(3_000_000)}`),
  });
  expect(outcome).toMatchObject({ result: "delivered", host: "second.test" });
  expect(other.accepted()).toBe(1);
});
