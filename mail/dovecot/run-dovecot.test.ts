import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Mailbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { loadSelfSigned } from "#server/core/tls/self-signed.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

let mailbox: Mailbox;
let running: TestDovecot[];
beforeEach(async () => {
  running = [];
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});
afterEach(() => Promise.all(running.map((dovecot) => dovecot.stop())));

async function start(options: Parameters<typeof aDovecot>[0] = {}): Promise<TestDovecot> {
  const dovecot = await aDovecot(options);
  running.push(dovecot);
  return dovecot;
}

/** Dovecot's processes are one group, named by the first. */
const sendToGroup = (pid: number, signal: 0) => process.kill(-pid, signal);

test("a killed Dovecot comes back by itself, and nothing of its first life stays", async () => {
  const dovecot = await start();
  const first = dovecot.running.pid()!;
  const app = await signIn(dovecot.imap, mailbox.address);
  const dropped = once(app, "close");

  process.kill(first, "SIGKILL");
  await dropped;
  await vi.waitFor(() => expect(dovecot.running.pid() ?? first).not.toBe(first), 10_000);
  expect(() => sendToGroup(first, 0)).toThrow("ESRCH");
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
  const next = await signIn(dovecot.imap, mailbox.address);
  await next.logout();
});

test("stop ends open sessions and leaves neither process nor port behind", async () => {
  const dovecot = await start();
  const pid = dovecot.running.pid()!;
  const app = await signIn(dovecot.imap, mailbox.address);
  const dropped = once(app, "close");

  await dovecot.stop();
  await dropped;
  expect(() => sendToGroup(pid, 0)).toThrow("ESRCH");
  for (const port of [dovecot.imap, dovecot.imaps, dovecot.pop3, dovecot.sieve])
    await expect(once(createConnection(port, "127.0.0.1"), "connect")).rejects.toThrow(
      "ECONNREFUSED",
    );
});

test("a new certificate is shown to new connections, and an open session goes on", async () => {
  const dovecot = await start();
  const app = await signIn(dovecot.imap, mailbox.address);
  let isDropped = false;
  app.on("close", () => (isDropped = true));
  const now = new Date();
  const renewed = await loadSelfSigned({
    dataFolder: dovecot.dataFolder,
    hostname: "renewed.example.test",
    now,
  });
  await dovecot.running.useCertificate(renewed);

  await vi.waitFor(async () => {
    const client = connectTls({
      port: dovecot.imaps,
      host: "127.0.0.1",
      ca: renewed.certificate,
      servername: "renewed.example.test",
    });
    await once(client, "secureConnect");
    client.destroy();
  }, 10_000);
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
  expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
  expect(isDropped).toBe(false);
  await app.logout();
});

test("two appliances run side by side, and one that stops leaves the other alone", async () => {
  const [first, second] = await Promise.all([start(), start()]);
  await deliver(first!.lmtpSocket, mailbox.address, "Subject: First\r\n\r\n");
  await deliver(second!.lmtpSocket, mailbox.address, "Subject: Second\r\n\r\n");
  await first!.stop();

  const app = await signIn(second!.imap, mailbox.address);
  await app.mailboxOpen("INBOX");
  const messages = await app.fetchAll("1:*", { envelope: true });
  expect(messages.map(({ envelope }) => envelope?.subject)).toEqual(["Second"]);
  await app.logout();
});

test("a port that is taken fails the start with Dovecot's own words", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  await expect(start({ ports: { imaps: port } })).rejects.toThrow(/did not start.*in use/);
  holder.close();
});

/** The database behind a door that the test closes, as a restart of Postgres does. */
async function aDatabaseDoor() {
  const database = new URL(config().databaseUrl!);
  const open = new Set<Socket>();
  const door = createServer((client) => {
    const server = createConnection(Number(database.port), database.hostname);
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
    }
    client.pipe(server).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  const { port } = door.address() as AddressInfo;
  const url = new URL(database);
  url.port = String(port);
  return {
    url: url.href,
    async shut() {
      door.close();
      for (const socket of open) socket.destroy();
      await once(door, "close");
    },
    async reopen() {
      door.listen(port, "127.0.0.1");
      await once(door, "listening");
    },
  };
}

test("while the database is away nobody is turned down for good, and all works once it is back", async () => {
  const door = await aDatabaseDoor();
  const dovecot = await start({ databaseUrl: door.url });
  await (await signIn(dovecot.imap, mailbox.address)).logout();

  await door.shut();
  await expect(signIn(dovecot.imap, mailbox.address)).rejects.toMatchObject({
    serverResponseCode: "UNAVAILABLE",
  });
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^451 4\.3\.0/);

  await door.reopen();
  await (await signIn(dovecot.imap, mailbox.address)).logout();
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
  await dovecot.stop();
  await door.shut();
});
