import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";

import { and, eq, like, sql } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { auditEntries, mailboxes, mailboxMoves, removedStores } from "#drizzle/schema/index.ts";
import { listMailAppSessions } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { deletePermanently } from "#server/core/operations/deleted-items/deleted-items.ts";
import { createContext } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import {
  type MailHostProcess,
  type SeparateHosts,
  separateHosts,
} from "#server/testing/mail-hosts.ts";
import { aSender, historyOf, queuedEmails, type Sender } from "#server/testing/queued-emails.ts";
import { killProcess, startWorkerProcess } from "#server/testing/worker-process.ts";

// Two mail hosts and a worker, as real processes with data folders of their own.
let hosts: SeparateHosts;
let first: MailHostProcess;
let second: MailHostProcess;
let worker: ChildProcess;
let sender: Sender;
/** A mailbox that existed before mail hosts had names, and one on each host. */
let old: string;
let ann: string;
let bob: string;

const patience = { timeout: 60_000, interval: 100 };

beforeAll(async () => {
  sender = await aSender();
  old = (await aMailbox(sender)).address;
  hosts = await separateHosts();
  first = await hosts.startMailHost();
  [second, worker] = await Promise.all([
    hosts.startMailHost(),
    startWorkerProcess({
      ...hosts.env,
      POSTHOUSE_ROLES: "worker",
      POSTHOUSE_DATA: await hosts.aFolder(),
    }),
  ]);
  ann = (await aMailbox(sender, { storeHost: first.name })).address;
  bob = (await aMailbox(sender, { storeHost: second.name })).address;
  // The first one notices the second one within seconds.
  await vi.waitFor(async () => (await open(first, bob)).logout(), patience);
}, 90_000);
afterAll(async () => {
  await killProcess(worker);
  await hosts.stop();
});

const open = (host: MailHostProcess, mailbox: string, from: { localAddress?: string } = {}) =>
  signIn(hosts.port("IMAPS_PORT"), mailbox, {
    host: host.name,
    secure: true,
    tls: { rejectUnauthorized: false, ...from },
  });

async function subjects(app: ImapFlow): Promise<string[]> {
  await app.mailboxOpen("INBOX");
  const all = await app.fetchAll("1:*", { envelope: true });
  return all.map(({ envelope }) => envelope!.subject!);
}

test("the first mail host takes over the mailboxes, and new ones are spread", async () => {
  const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, old));
  expect(row!.storeHost).toBe(first.name);
});

test("a worker delivers to the mail host of each mailbox, and any of them serves it", async () => {
  const ids = await queuedEmails(sender, [[ann, bob], [bob]]);
  await vi.waitFor(async () => {
    const histories = await Promise.all(ids.map(historyOf));
    expect(histories.flat().filter((event) => event.startsWith("delivered"))).toHaveLength(3);
  }, patience);
  const served = await Promise.all([first, second].map((host) => open(host, bob)));
  for (const app of served)
    expect((await subjects(app)).sort()).toEqual(ids.map((id) => `Greetings ${id}`).sort());
  const elsewhere = await open(second, ann);
  expect(await subjects(elsewhere)).toEqual([`Greetings ${ids[0]!}`]);
  for (const app of [...served, elsewhere]) await app.logout();
});

/** The lines that a server sends over TLS in reply to commands. */
async function dialog(port: number, commands: string[]): Promise<string> {
  const socket = connect({ host: first.name, port, rejectUnauthorized: false });
  socket.write(commands.map((command) => `${command}\r\n`).join(""));
  return text(socket);
}

test("POP3 is served by the other mail host too", async () => {
  const answer = await dialog(hosts.port("POP3S_PORT"), [
    `USER ${bob}`,
    "PASS test password",
    "STAT",
    "QUIT",
  ]);
  expect(answer).toMatch(/\r\n\+OK 2 \d+\r\n/);
});

test("sessions on the other mail host have the client's address, and can be ended from anywhere", async () => {
  const app = await open(first, bob, { localAddress: "127.9.9.9" });
  const closed = new Promise((resolve) => app.once("close", resolve));
  await vi.waitFor(async () =>
    expect(await listMailAppSessions({ db: db() }, bob)).toEqual([
      { clientAddress: "127.9.9.9", services: ["imap"], connections: 1 },
    ]),
  );
  expect(await kickMailApps(db(), bob)).toBe(1);
  await closed;
});

test("a mailbox is moved while mail arrives, and nothing is lost or changed", async () => {
  const before = await open(first, ann);
  await before.mailboxOpen("INBOX");
  await before.messageFlagsAdd("1", ["\\Flagged"]);
  await before.mailboxCreate("Projects");
  await before.append("Projects", "Subject: Plan\r\n\r\nx\r\n", ["\\Seen"]);
  const [kept] = await before.fetchAll("1", { uid: true });
  const validity = before.mailbox && before.mailbox.uidValidity;
  const ids: string[] = [];
  const send = async () => ids.push(...(await queuedEmails(sender, [[ann], [ann], [ann]])));
  await send();
  const operator = { kind: "operator", email: "olga@operator.example" } as const;
  await requestMove({ db: db(), actor: operator }, ann, second.name);
  await vi.waitFor(async () => {
    await send();
    const [move] = await db().select().from(mailboxMoves);
    expect(move!.copiedAt).not.toBeNull();
  }, patience);
  await send();
  await vi.waitFor(async () => {
    const histories = await Promise.all(ids.map(historyOf));
    expect(histories.filter((events) => events.includes(`delivered ${ann}`))).toHaveLength(
      ids.length,
    );
  }, patience);

  const entries = await db()
    .select({
      actor: auditEntries.actor,
      action: auditEntries.action,
      details: auditEntries.details,
    })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, sender.companyId),
        like(auditEntries.action, "mailbox.move_%"),
      ),
    )
    .orderBy(auditEntries.createdAt);
  const details = { mailbox: ann, from: first.name, to: second.name };
  expect(entries).toEqual([
    { actor: operator.email, action: "mailbox.move_started", details },
    { actor: "system", action: "mailbox.move_finished", details },
  ]);

  // Sessions that began during the switch are ended once more.
  await vi.waitFor(async () => {
    const jobs = await db().execute(
      sql`select from graphile_worker.jobs where task_identifier = 'end_mail_sessions'`,
    );
    expect(jobs).toHaveLength(0);
  }, patience);
  const after = await open(first, ann);
  const found = await subjects(after);
  expect(found).toEqual(expect.arrayContaining(ids.map((id) => `Greetings ${id}`)));
  expect(found).toHaveLength(ids.length + 1);
  const [same] = await after.fetchAll("1", { uid: true, flags: true });
  expect(same!.uid).toBe(kept!.uid);
  expect(same!.flags).toContain("\\Flagged");
  expect(after.mailbox && after.mailbox.uidValidity).toBe(validity);
  expect(await after.status("Projects", { messages: true, unseen: true })).toMatchObject({
    messages: 1,
    unseen: 0,
  });
  await after.logout();
}, 240_000);

test("the old copy of a moved mailbox, and a deleted mailbox, are deleted on their hosts", async () => {
  const folderOf = async (host: MailHostProcess, address: string) => {
    const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
    return join(host.dataFolder, "mail", row!.store);
  };
  const copy = await folderOf(first, ann);
  const deleted = await folderOf(second, bob);
  expect([existsSync(copy), existsSync(deleted)]).toEqual([true, true]);
  await db()
    .update(mailboxMoves)
    .set({ switchedAt: sql`clock_timestamp() - interval '1 hour'` });
  const ctx = createContext(db(), sender.companyId, { kind: "system", task: "test" });
  const { deletedId } = await deleteMailbox(ctx, bob);
  await deletePermanently(ctx, deletedId);
  await vi.waitFor(async () => {
    await db()
      .update(removedStores)
      .set({ createdAt: sql`clock_timestamp() - interval '1 minute'` });
    expect([existsSync(copy), existsSync(deleted)]).toEqual([false, false]);
  }, patience);
  expect(existsSync(await folderOf(second, ann))).toBe(true);
});
