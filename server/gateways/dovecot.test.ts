import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { apiKeyFile, dovecotAdmin, DovecotError } from "./dovecot.ts";
import { appendMessages, IMAP_MASTER, openMailbox } from "./dovecot-imap.ts";

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await aDovecot();
});
afterAll(() => dovecot.stop());

test("kick ends the sessions of one mailbox only, and does nothing without sessions", async () => {
  const admin = dovecotAdmin(dovecot.dataFolder);
  const domain = await aDomain((await aCompany()).id);
  const [kicked, other] = [await aMailbox(domain), await aMailbox(domain)];
  expect(await admin.kick(kicked.address)).toBe(0);

  const app = await signIn(dovecot.imap, kicked.address);
  const stays = await signIn(dovecot.imap, other.address);
  await untilListed(kicked.address, other.address);
  const dropped = once(app, "close");
  expect(await admin.kick(kicked.address)).toBe(1);
  await dropped;
  await untilListed(other.address);
  await stays.logout();
  await untilListed();
});

/** Dovecot lists a session, or stops listing it, a moment after it starts or ends. */
const untilListed = (...addresses: string[]) =>
  vi.waitFor(async () => {
    const listed = await dovecotAdmin(dovecot.dataFolder).who();
    expect(listed.map(({ username }) => username).toSorted()).toEqual(addresses.toSorted());
  });

test("lists the sessions of all mailboxes by service", async () => {
  const domain = await aDomain((await aCompany()).id);
  const [ann, bob] = [(await aMailbox(domain)).address, (await aMailbox(domain)).address];
  const apps = [ann, ann, bob].map((address) => signIn(dovecot.imap, address));
  const open = await Promise.all(apps);
  const editor = createConnection(dovecot.sieve, "127.0.0.1");
  const credentials = Buffer.from(`\0${ann}\0test password`).toString("base64");
  editor.write(`AUTHENTICATE "PLAIN" "${credentials}"\r\n`);
  await vi.waitFor(async () => {
    const listed = await dovecotAdmin(dovecot.dataFolder).who();
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        { username: ann, service: "imap", connections: 2 },
        { username: bob, service: "imap", connections: 1 },
        { username: ann, service: "sieve", connections: 1 },
      ]),
    );
  });
  editor.destroy();
  for (const app of open) await app.logout();
});

test("reload succeeds and keeps sessions open", async () => {
  const mailbox = await aMailbox(await aDomain((await aCompany()).id));
  const app = await signIn(dovecot.imap, mailbox.address);
  await dovecotAdmin(dovecot.dataFolder).reload();
  await app.noop();
  expect(app.usable).toBe(true);
  await app.logout();
});

test("opens any mailbox on its own socket only, and isn't listed as a mail app", async () => {
  const { dataFolder, imap } = dovecot;
  const { address } = await aMailbox(await aDomain((await aCompany()).id), {
    suspendedAt: new Date().toISOString(),
    forcePasswordChange: true,
  });
  // A reload replaces the sockets.
  const own = await vi.waitFor(() => openMailbox(address, dataFolder));
  const content = Buffer.from("Subject: A\r\n\r\nA\r\n");
  const message = { content, flags: ["\\Seen"], internalDate: new Date(0) };
  expect(await appendMessages(own, "INBOX", [message, message])).toEqual([1, 2]);
  expect(await dovecotAdmin(dataFolder).connectionsOf(address)).toEqual([]);
  await own.logout();

  const password = await readFile(apiKeyFile(dataFolder), "utf8");
  const auth = { user: IMAP_MASTER, pass: password, authzid: address, loginMethod: "AUTH=PLAIN" };
  await expect(signIn(imap, address, { auth })).rejects.toMatchObject({
    authenticationFailed: true,
  });
});

test("reports a wrong key and an unreachable Dovecot clearly", async () => {
  const admin = dovecotAdmin(dovecot.dataFolder);
  await writeFile(apiKeyFile(dovecot.dataFolder), "wrong");
  // Dovecot may close the connection before its 401 is read.
  await expect(admin.who()).rejects.toThrow(/^Dovecot (returned HTTP 401 for|can't run) who/);
  const failure = dovecotAdmin("/nowhere").kick("ann@example.test");
  await expect(failure).rejects.toThrow(/^Dovecot can't run kick: /);
  await expect(failure).rejects.toBeInstanceOf(DovecotError);
});
