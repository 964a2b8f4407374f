import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

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
  const dropped = once(app, "close");
  expect(await admin.kick(kicked.address)).toBe(1);
  await dropped;
  expect((await admin.who()).map(({ username }) => username)).toEqual([other.address]);
  await stays.logout();
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
    ...{ suspendedAt: new Date().toISOString(), forcePasswordChange: true },
  });
  const own = await openMailbox(address, dataFolder);
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
