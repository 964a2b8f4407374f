import { once } from "node:events";
import { createConnection, type Socket } from "node:net";

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";

import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";

import { toWideNetwork } from "./limits.ts";

const anMxListener = mxListeners();
const { resolver } = await outsideDns({
  "there.test": { TXT: ["v=spf1 ip4:127.0.0.0/8 -all"] },
});
/** Each address in 127.0.0.0/8 acts as a different stranger. */
const limits = { networkOf: (address: string) => address };

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await aDovecot();
});
afterAll(() => dovecot.stop());

const clients: Client[] = [];
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});

/** A connection from an address, with everything the server said. */
class Client {
  readonly socket: Socket;
  heard = "";

  constructor(port: number, localAddress: string) {
    this.socket = createConnection({ port, host: "127.0.0.1", localAddress });
    this.socket.on("data", (chunk: Buffer) => (this.heard += chunk.toString("latin1")));
    this.socket.on("error", () => {});
    clients.push(this);
  }

  async say(line: string, reply: RegExp): Promise<void> {
    this.heard = "";
    this.socket.write(`${line}\r\n`);
    await vi.waitFor(() => expect(this.heard).toMatch(reply));
  }

  async sendMail(to: string): Promise<void> {
    await this.say("EHLO mx.there.test", /^250 /m);
    await this.say("MAIL FROM:<ann@there.test>", /^250/);
    await this.say(`RCPT TO:<${to}>`, /^250/);
    await this.say("DATA", /^354/);
    await this.say("From: ann@there.test\r\nSubject: Hi\r\n\r\nHi\r\n.", /^250/);
  }
}

async function greeted(port: number, localAddress: string): Promise<Client> {
  const client = new Client(port, localAddress);
  await vi.waitFor(() => expect(client.heard).toMatch(/^(220|421) /));
  return client;
}

/** Opens idle connections, 16 from each of the given number of networks. */
async function idleFrom(port: number, networks: number): Promise<Client[]> {
  const opening = Array.from({ length: networks * 16 }, (_, i) =>
    greeted(port, `127.${1 + Math.floor(i / 16)}.0.${1 + (i % 16)}`),
  );
  return Promise.all(opening);
}

test("idle connections from 19 networks don't block known senders, and block strangers only briefly", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const { port } = await anMxListener({
    dataFolder: dovecot.dataFolder,
    resolver,
    limits: { ...limits, slots: { pressureIdleMs: 3_000 } },
  });
  const friend = await greeted(port, "127.200.0.1");
  await friend.sendMail(address);
  friend.socket.destroy();
  await once(friend.socket, "close");

  const idle = await idleFrom(port, 19);
  expect(idle.filter(({ heard }) => heard.startsWith("220"))).toHaveLength(250);
  const known = await greeted(port, "127.200.0.1");
  expect(known.heard).toMatch(/^220/);
  await known.sendMail(address);

  // Commands that make no progress don't keep a connection.
  const chatty = idle.filter(({ heard }) => heard.startsWith("220")).slice(0, 50);
  const chatting = setInterval(() => {
    for (const { socket } of chatty) socket.write("NOOP\r\nRSET\r\nEHLO x\r\n");
  }, 200);
  try {
    await vi.waitFor(() => {
      for (const { heard } of chatty) expect(heard).toMatch(/^421 4\.4\.2/m);
    });
  } finally {
    clearInterval(chatting);
  }
  const stranger = await greeted(port, "127.100.0.1");
  expect(stranger.heard).toMatch(/^220/);
  await stranger.sendMail(address);
});

test("when no slot is left, closes the connection of the unknown sender that was idle longest, never one that makes progress", async () => {
  let waited = 0;
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const { port } = await anMxListener({
    resolver,
    limits: {
      ...limits,
      slots: { max: 6, pressureIdleMs: 60_000 },
      now: () => performance.now() + waited,
    },
  });
  const sender = await greeted(port, "127.1.0.1");
  await sender.say("EHLO mx.there.test", /^250 /m);
  await sender.say("MAIL FROM:<ann@there.test>", /^250/);
  const idle = [];
  for (const network of [2, 3, 4, 5]) idle.push(await greeted(port, `127.${network}.0.1`));
  expect((await greeted(port, "127.6.0.1")).heard).toMatch(/^421 4\.3\.2/);
  waited = 5_100;
  await sender.say(`RCPT TO:<${address}>`, /^250/);
  expect((await greeted(port, "127.7.0.1")).heard).toMatch(/^220/);
  expect(idle[0]!.heard).toMatch(/^421 4\.4\.2/m);
  await sender.say("NOOP", /^250/);
});

test("under pressure, a wide network is limited to its share", async () => {
  const { port } = await anMxListener({ limits: { ...limits, slots: { max: 12 } } });
  // Seven of twelve slots: no pressure yet.
  for (let i = 1; i <= 8; i++) expect((await greeted(port, `127.1.0.${i}`)).heard).toMatch(/^220/);
  expect((await greeted(port, "127.1.0.99")).heard).toMatch(/^421 4\.7\.0/);
  expect((await greeted(port, "127.2.0.1")).heard).toMatch(/^220/);
});

test("a wide network is a /16 of IPv4 or a /48 of IPv6", () => {
  expect(toWideNetwork("93.184.216.34")).toBe(toWideNetwork("93.184.1.1"));
  expect(toWideNetwork("::ffff:93.184.216.34")).toBe(toWideNetwork("93.184.1.1"));
  expect(toWideNetwork("93.184.216.34")).not.toBe(toWideNetwork("93.185.216.34"));
  expect(toWideNetwork("2a00:1450:1:2::1")).toBe(toWideNetwork("2a00:1450:1:9::1"));
  expect(toWideNetwork("2a00:1450:1:2::1")).not.toBe(toWideNetwork("2a00:1450:2:2::1"));
});
