// cspell:ignore svbin
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { type Mailbox, settings } from "#drizzle/schema/index.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

type MailApp = Awaited<ReturnType<typeof signIn>>;

let dovecot: TestDovecot;
let rspamd: FakeRspamd;
let mailbox: Mailbox;
const lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
  dovecot = await aDovecot({ log });
});

afterAll(() => dovecot.stop());

beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
  rspamd = await aRspamd();
  await pointTo(rspamd.url);
  lines.length = 0;
  return () => rspamd.stop();
});

async function pointTo(url: string): Promise<void> {
  await db()
    .insert(settings)
    .values({ name: "rspamd_url", value: url })
    .onConflictDoUpdate({ target: settings.name, set: { value: url } });
  invalidateSettings();
}

async function subjectsIn(app: MailApp, folder: string): Promise<string[]> {
  const lock = await app.getMailboxLock(folder);
  try {
    const found = await app.fetchAll("1:*", { envelope: true });
    return found.map(({ envelope }) => envelope?.subject ?? "");
  } finally {
    lock.release();
  }
}

const JUNK = "X-Posthouse-Junk: yes\r\nFrom: eve@example.org\r\nSubject: Win\r\n\r\nWin!";

/** Activates a script of the mailbox user, as ManageSieve does. */
const ownScript = (text: string) =>
  writeFile(join(dovecot.dataFolder, "mail", mailbox.store, ".dovecot.sieve"), text);

describe("mail marked as junk", () => {
  test("is filed into Junk, and other mail into the inbox", async () => {
    await deliver(dovecot.lmtpSocket, mailbox.address, JUNK);
    await deliver(dovecot.lmtpSocket, mailbox.address, JUNK.replace("yes", "no"));
    const app = await signIn(dovecot.imap, mailbox.address);
    expect(await subjectsIn(app, "Junk")).toEqual(["Win"]);
    expect(await subjectsIn(app, "INBOX")).toEqual(["Win"]);
    await app.logout();
  });

  test("is not passed to the mailbox user's own scripts", async () => {
    await deliver(dovecot.lmtpSocket, mailbox.address);
    await ownScript('require "fileinto"; fileinto "Archive"; stop;');
    await deliver(dovecot.lmtpSocket, mailbox.address, JUNK);
    await deliver(dovecot.lmtpSocket, mailbox.address);
    const app = await signIn(dovecot.imap, mailbox.address);
    expect(await subjectsIn(app, "Junk")).toEqual(["Win"]);
    expect(await subjectsIn(app, "Archive")).toEqual(["Hello"]);
    await app.logout();
  });
});

describe("a notice about sign-in or forwarding", () => {
  const NOTICE = JUNK.replace("Junk", "Security-Notice");

  test.each([
    ["discards all mail", "discard;", []],
    ["files all mail", 'require "fileinto"; fileinto "Archive"; stop;', ["Win"]],
    ["keeps all mail", "keep;", []],
  ])("is in the inbox once if the mailbox user's script %s", async (_, script, archived) => {
    await deliver(dovecot.lmtpSocket, mailbox.address);
    await ownScript(script);
    await deliver(dovecot.lmtpSocket, mailbox.address, NOTICE);
    const app = await signIn(dovecot.imap, mailbox.address);
    expect(await subjectsIn(app, "INBOX")).toEqual(["Hello", "Win"]);
    if (archived.length > 0) expect(await subjectsIn(app, "Archive")).toEqual(archived);
    await app.logout();
  });
});

test("a mailbox user's script can't use the extensions of our own scripts", async () => {
  await deliver(dovecot.lmtpSocket, mailbox.address);
  await ownScript('require ["vnd.dovecot.pipe"]; pipe "spam";');
  expect(await deliver(dovecot.lmtpSocket, mailbox.address)).toMatch(/^250/);
  const app = await signIn(dovecot.imap, mailbox.address);
  expect(await subjectsIn(app, "INBOX")).toEqual(["Hello", "Hello"]);
  await app.logout();
  expect(rspamd.asked).toEqual([]);
});

describe("moving messages trains the spam filter", () => {
  /** A mail app with one message in the folder. */
  async function withMessageIn(folder: "INBOX" | "Junk"): Promise<MailApp> {
    await deliver(
      dovecot.lmtpSocket,
      mailbox.address,
      folder === "Junk" ? JUNK : JUNK.replace("yes", "no"),
    );
    const app = await signIn(dovecot.imap, mailbox.address);
    await app.mailboxOpen(folder);
    return app;
  }

  test.each([
    ["INBOX", "Junk", "/learnspam"],
    ["Junk", "INBOX", "/learnham"],
    ["Junk", "Archive", "/learnham"],
  ] as const)("from %s to %s", async (from, to, path) => {
    const app = await withMessageIn(from);
    if (to === "Archive") await app.mailboxCreate(to);
    await app.messageMove("1:*", to);
    await vi.waitFor(() => expect(rspamd.asked.map((one) => one.path)).toEqual([path, path]));
    expect(rspamd.asked[1]!.content).toMatch(/^Return-Path:[^]*\r\nSubject: Win\r\n\r\nWin!\r\n$/);
    expect(await subjectsIn(app, to)).toEqual(["Win"]);
    await app.logout();
  });

  test("but not moves to Trash or between other folders", async () => {
    const app = await withMessageIn("Junk");
    await app.messageMove("1:*", "Trash");
    await app.mailboxOpen("Trash");
    await app.messageCopy("1:*", "Drafts");
    await app.messageMove("1:*", "Junk");
    await vi.waitFor(() => expect(rspamd.asked).not.toEqual([]));
    expect(new Set(rspamd.asked.map(({ path }) => path))).toEqual(new Set(["/learnspam"]));
    await app.logout();
  });

  test("many at once, in the order of the moves", async () => {
    for (let i = 0; i < 20; i++)
      await deliver(dovecot.lmtpSocket, mailbox.address, `Subject: ${i}\r\n\r\n${i}`);
    const app = await signIn(dovecot.imap, mailbox.address);
    await app.mailboxOpen("INBOX");
    await app.messageMove("1:*", "Junk");
    await vi.waitFor(() => expect(rspamd.asked).toHaveLength(40));
    await app.logout();
  });

  test("a move succeeds when rspamd is down or off", async () => {
    const app = await withMessageIn("INBOX");
    await rspamd.stop();
    await app.messageMove("1:*", "Junk");
    await vi.waitFor(() => expect(lines.join()).toMatch(/rspamd did not learn/));
    await pointTo("off");
    await app.mailboxOpen("Junk");
    await app.messageMove("1:*", "INBOX");
    expect(await subjectsIn(app, "INBOX")).toEqual(["Win"]);
    await app.logout();
    expect(lines.join("\n")).not.toMatch(/sieve: (Error|Warning)/);
  });
});

test("moves still train rspamd after a restart of Dovecot", async () => {
  const before = dovecot.running.pid();
  process.kill(before!, "SIGKILL");
  await vi.waitFor(() => expect(lines.join()).toMatch(/Dovecot is running again/));
  await deliver(dovecot.lmtpSocket, mailbox.address);
  const app = await signIn(dovecot.imap, mailbox.address);
  await app.mailboxOpen("INBOX");
  await app.messageMove("1:*", "Junk");
  await vi.waitFor(() => expect(rspamd.asked).toHaveLength(2));
  await app.logout();
});

test("a script that another version of Dovecot compiled is compiled again, without an error in the log", async () => {
  await deliver(dovecot.lmtpSocket, mailbox.address, JUNK);
  const compiled = join(dovecot.dataFolder, "dovecot/etc/junk.svbin");
  const content = await readFile(compiled);
  // The version follows four magic bytes.
  content.writeUInt16LE(9, 4);
  await writeFile(compiled, content);
  lines.length = 0;
  await deliver(dovecot.lmtpSocket, mailbox.address, JUNK);
  await vi.waitFor(() => expect(lines.join("")).toContain("automatically fixed"));
  const logged = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  const { info } = pino.levels.values;
  expect(logged.filter(({ level, msg }) => level > info! && msg.includes("sieve"))).toEqual([]);
  expect((await readFile(compiled)).readUInt16LE(4)).not.toBe(9);
});
