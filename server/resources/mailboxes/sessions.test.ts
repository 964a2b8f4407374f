import { once } from "node:events";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import {
  appPasswords,
  deletedItems,
  mailboxes,
  mailboxSessions,
  mailboxUsage,
  removedStores,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import {
  replacePassword,
  setPassword,
} from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { deleteOldItems } from "#server/core/operations/deleted-items/deleted-items.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { call } from "#server/testing/call.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aContext, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { aMailboxAdmin, type MailboxAdmin, storedMailbox } from "#server/testing/mailbox-admin.ts";

import { mailboxesApi } from "./api.ts";

// Each test signs in to a real Dovecot, as a mail app does.

const OWN = "correct horse battery";

let dovecot: TestDovecot;
let admin: MailboxAdmin;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
});

/** A mail app in IDLE. */
async function anIdleApp(address: string): Promise<{ app: ImapFlow; ended: Promise<unknown> }> {
  const app = await signIn(dovecot.imap, address);
  await app.mailboxOpen("INBOX");
  void app.idle();
  return { app, ended: once(app, "close") };
}
const refusalOf = (address: string, password: string) =>
  signIn(dovecot.imap, address, { password }).then(
    () => "signed in",
    (error: unknown) => (error as { responseText?: string }).responseText,
  );
const accountSessions = (address: string) =>
  db().$count(mailboxSessions, eq(mailboxSessions.userId, address));
const anAccountSession = (userId: string, id: string) =>
  db()
    .insert(mailboxSessions)
    .values({ id, userId, expiresAt: new Date(Date.now() + 60_000) });

test("with the temporary password a mail app gets a link to set a new one, which then works", async () => {
  const email = admin.at("ann");
  const { body } = await admin.create({ email, name: "Ann Smith" });
  const temporary = body.temporary_password as string;

  expect(await refusalOf(email, "not the one")).toMatch(/Authentication failed/);
  expect(await refusalOf(email, temporary)).toContain("https://mail.example.test/account");
  await setPassword(aContext(admin.companyId), email, OWN);
  expect(await refusalOf(email, temporary)).toMatch(/Authentication failed/);
  await (await signIn(dovecot.imap, email, { password: OWN })).logout();
  expect((await admin.get(email)).body).toMatchObject({ force_password_change: false });
  await vi.waitFor(async () =>
    expect((await admin.get(email)).body).toMatchObject({
      last_sign_in_at: expect.stringMatching(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.000000\+00$/,
      ) as string,
    }),
  );
});

test("suspending ends a session in IDLE; mail still arrives, and restoring allows sign-in again", async () => {
  const { address } = await aMailbox(admin.domain);
  const { ended } = await anIdleApp(address);
  await anAccountSession(address, "of suspended");

  expect((await admin.patch(address, { active: false })).status).toBe(200);

  await ended;
  expect(await accountSessions(address)).toBe(0);
  expect(await refusalOf(address, "test password")).toContain("suspended");
  expect(await deliver(dovecot.lmtpSocket, address)).toMatch(/^250/);
  await admin.patch(address, { active: true });
  const app = await signIn(dovecot.imap, address);
  expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
  await app.logout();
});

test("a forced change ends sessions", async () => {
  const { address } = await aMailbox(admin.domain);
  const { ended } = await anIdleApp(address);
  await admin.patch(address, { force_password_change: true });
  await ended;
  expect(await refusalOf(address, "test password")).toContain("/account");
});

test("other changes do not end sessions", async () => {
  const { address } = await aMailbox(admin.domain);
  const { app } = await anIdleApp(address);
  await admin.patch(address, { name: "Eve", quota_mb: 512, active: true });
  await app.noop();
  await app.logout();
});

test("a reset invalidates the old password and ends sessions", async () => {
  const { address } = await aMailbox(admin.domain);
  const { ended } = await anIdleApp(address);
  await anAccountSession(address, "of reset");
  const { body } = await call(mailboxesApi.resetPassword, {
    key: admin.key,
    params: { email: address },
  });
  await ended;
  expect(await accountSessions(address)).toBe(0);
  expect(await refusalOf(address, "test password")).toMatch(/Authentication failed/);
  const { temporary_password: temporary } = body as { temporary_password: string };
  expect(await refusalOf(address, temporary)).toContain("/account");
});

test("a reset deletes app passwords unless keep_app_passwords is true", async () => {
  const { address } = await aMailbox(admin.domain);
  await db().insert(appPasswords).values({ mailbox: address, name: "Phone", secretHash: "x" });
  const left = () => db().$count(appPasswords, eq(appPasswords.mailbox, address));
  const reset = (body?: object) =>
    call(mailboxesApi.resetPassword, {
      key: admin.key,
      params: { email: address },
      ...(body && { body }),
    });
  expect((await reset({ keep_app_passwords: true })).status).toBe(200);
  expect(await left()).toBe(1);
  expect((await reset({ keep_app_passwords: "yes" })).status).toBe(422);
  expect((await reset()).status).toBe(200);
  expect(await left()).toBe(0);
});

test("changing the password keeps only the session that changed it", async () => {
  const { address } = await aMailbox(admin.domain);
  const { ended } = await anIdleApp(address);
  await anAccountSession(address, "kept");
  await anAccountSession(address, "other");
  const actor = { kind: "mailbox", address } as const;
  const ctx = { ...aContext(admin.companyId), actor };
  await setPassword(ctx, address, OWN, { keptSession: "kept" });
  await ended;
  const [session, ...others] = await db()
    .select()
    .from(mailboxSessions)
    .where(eq(mailboxSessions.userId, address));
  expect(session).toMatchObject({ id: "kept" });
  expect(others).toEqual([]);
});

test.each([
  ["short", "Tr0ub4dor&3", /at least 12/],
  ["the address", "xx ann.bartholdy xx", /easy to guess/],
  ["what it was", "test password", /must differ/],
])("rejects a password that is %s", async (_, password, reason) => {
  const { address } = await aMailbox(admin.domain, { address: admin.at("ann.bartholdy") });
  const { passwordHash } = await storedMailbox(address);
  const change = setPassword(aContext(admin.companyId), address, password);
  await expect(change).rejects.toThrow(reason);
  expect((await storedMailbox(address)).passwordHash).toBe(passwordHash);
});

test("a concurrent change with the old password does not undo a reset", async () => {
  const { address } = await aMailbox(admin.domain);
  const ctx = aContext(admin.companyId);
  const own = await db().transaction(async (tx) => {
    await tx.select().from(mailboxes).where(eq(mailboxes.address, address)).for("update");
    const change = setPassword(ctx, address, OWN).catch((error: unknown) => error);
    await untilBlocked();
    await replacePassword({ ...ctx, db: tx }, address);
    return () => change;
  });
  expect(await own()).toMatchObject({ reason: "invalid" });
  expect(await storedMailbox(address)).toMatchObject({ forcePasswordChange: true });
});

test("deleting ends sessions, and after the retention removes this mailbox's mail only", async () => {
  const owner = await admin.ownersKey();
  const [gone, stays] = [await aMailbox(admin.domain), await aMailbox(admin.domain)];
  for (const { address } of [gone, stays]) await deliver(dovecot.lmtpSocket, address);
  const folder = (store: string) => join(config().dataFolder, "mail", store);
  const { ended } = await anIdleApp(gone.address);
  await access(folder(gone.store));

  await call(mailboxesApi.delete, { key: owner, params: { email: gone.address } });

  await ended;
  expect(await deliver(dovecot.lmtpSocket, gone.address)).toMatch(/^550 5\.1\.1/);
  expect(await refusalOf(gone.address, "test password")).toMatch(/Authentication failed/);
  // A new mailbox with the same address is empty.
  const { body } = await admin.create({ email: gone.address, name: "Eve Adams" });
  expect(body).toMatchObject({ used_bytes: 0, messages: 0 });
  await setPassword(aContext(admin.companyId), gone.address, OWN);
  const app = await signIn(dovecot.imap, gone.address, { password: OWN });
  expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 0 });
  await app.logout();

  await removeMailStores(db());
  await access(folder(gone.store));
  await db().update(deletedItems).set({ createdAt: "2026-01-01T00:00:00Z" });
  await deleteOldItems(db(), 20);
  await removeMailStores(db());

  await expect(access(folder(gone.store))).rejects.toThrow(/ENOENT/);
  await access(folder((await storedMailbox(gone.address)).store));
  expect(await readdir(join(config().dataFolder, "mail", admin.domain.name))).toHaveLength(2);
  expect(await db().$count(removedStores, eq(removedStores.address, gone.address))).toBe(0);
  const mail = await signIn(dovecot.imap, stays.address);
  expect(await mail.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
  await mail.logout();
});

test("counts delivered mail within seconds", async () => {
  const { address } = await aMailbox(admin.domain);
  await deliver(dovecot.lmtpSocket, address);
  await vi.waitFor(async () => {
    const { body } = await admin.get(address);
    expect(body).toMatchObject({ messages: 1 });
    expect((body as { used_bytes: number }).used_bytes).toBeGreaterThan(50);
  });
  expect(await db().$count(mailboxUsage, eq(mailboxUsage.address, address))).toBe(1);
});
