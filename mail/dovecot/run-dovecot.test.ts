import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Mailbox } from "#drizzle/schema/index.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";
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

/**
 * Retries like a mail app without a reply: Dovecot may delay a sign-in from just before it learns that the database
 * is back by up to 25 s.
 */
async function signInOrLeave(port: number, address: string) {
  const signingIn = signIn(port, address);
  const impatience = wait(3_000, null, { ref: false }).then(() => {
    void signingIn.then((app) => app.close()).catch(() => {});
    throw new Error("no answer");
  });
  return Promise.race([signingIn, impatience]);
}

/** Dovecot's processes are one process group. Init may take a moment to reap dead ones. */
const untilGroupIsGone = (pid: number) =>
  vi.waitFor(() => expect(() => process.kill(-pid, 0)).toThrow("ESRCH"));

test("restarts a killed Dovecot and leaves none of its processes behind", async () => {
  const dovecot = await start();
  const first = dovecot.running.pid()!;
  const app = await signIn(dovecot.imap, mailbox.address);
  const dropped = once(app, "close");

  process.kill(first, "SIGKILL");
  await dropped;
  await vi.waitFor(() => expect(dovecot.running.pid() ?? first).not.toBe(first));
  await untilGroupIsGone(first);
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
  await untilGroupIsGone(pid);
  for (const port of [dovecot.imap, dovecot.imaps, dovecot.pop3, dovecot.sieve])
    await expect(once(createConnection(port, "127.0.0.1"), "connect")).rejects.toThrow(
      "ECONNREFUSED",
    );
});

test("new connections get a new certificate, and open sessions continue", async () => {
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
  });
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
  expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
  expect(isDropped).toBe(false);
  // By default, Dovecot would end them a minute after the reload.
  const { stdout } = await promisify(execFile)("doveconf", [
    "-c",
    join(dovecot.dataFolder, "dovecot/etc/dovecot.conf"),
    "-h",
    "shutdown_clients",
  ]);
  expect(stdout).toBe("no\n");
  await app.logout();
});

test("two appliances run side by side, and one that stops leaves the other alone", async () => {
  const [first, second] = await Promise.all([start(), start()]);
  await deliver(first.lmtpSocket, mailbox.address, "Subject: First\r\n\r\n");
  await deliver(second.lmtpSocket, mailbox.address, "Subject: Second\r\n\r\n");
  await first.stop();

  const app = await signIn(second.imap, mailbox.address);
  await app.mailboxOpen("INBOX");
  const messages = await app.fetchAll("1:*", { envelope: true });
  expect(messages.map(({ envelope }) => envelope?.subject)).toEqual(["Second"]);
  await app.logout();
});

test("a port in use fails the start with Dovecot's error message", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  await expect(start({ ports: { imaps: port } })).rejects.toThrow(/did not start.*in use/);
  holder.close();
});

test("a database outage causes temporary errors only, and sign-ins work again afterwards", async () => {
  const door = await aDatabaseProxy();
  const dovecot = await start({ databaseUrl: door.url });
  await (await signIn(dovecot.imap, mailbox.address)).logout();

  await door.shut();
  await expect(signIn(dovecot.imap, mailbox.address)).rejects.toMatchObject({
    serverResponseCode: "UNAVAILABLE",
  });
  // At most, Dovecot drops the connection, and the sender retries.
  const delivery = deliver(dovecot.lmtpSocket, mailbox.address).catch(() => "421 dropped");

  await door.reopen();
  const app = await vi.waitFor(() => signInOrLeave(dovecot.imap, mailbox.address));
  await app.logout();
  expect(await delivery).toMatch(/^(250|4\d\d) /);
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
  await dovecot.stop();
  await door.shut();
});

test("a Dovecot that hangs is detected, killed and restarted", async () => {
  const patience = { everyMs: 200, answerWithinMs: 2_000, missedForSilent: 1, missedForKill: 2 };
  const dovecot = await start({ patience });
  const first = dovecot.running.pid()!;
  await vi.waitFor(() => expect(dovecot.running.isAnswering()).toBe(true));

  // Stops only the master: its child processes keep serving until new ones are needed.
  process.kill(first, "SIGSTOP");
  await vi.waitFor(() => expect(dovecot.running.isAnswering()).toBe(false));
  await vi.waitFor(() => expect(dovecot.running.pid() ?? first).not.toBe(first), 30_000);
  await vi.waitFor(() => expect(dovecot.running.isAnswering()).toBe(true));
  await untilGroupIsGone(first);
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250 /);
});

test("a Dovecot that waits for a hanging database is not killed", async () => {
  const door = await aDatabaseProxy();
  const patience = { everyMs: 200, answerWithinMs: 1_000, missedForSilent: 1, missedForKill: 2 };
  const dovecot = await start({ patience, databaseUrl: door.url });
  try {
    await vi.waitFor(() => expect(dovecot.running.isAnswering()).toBe(true));
    const first = dovecot.running.pid();
    door.freeze();
    await vi.waitFor(() => expect(dovecot.running.isAnswering()).toBe(false));
    await wait(8_000);
    expect(dovecot.running.pid()).toBe(first);
  } finally {
    await dovecot.stop();
    await door.shut();
  }
});
