import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { findDovecot } from "#server/gateways/find-dovecot.mjs";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aSmallDisk, type SmallDisk } from "#server/testing/a-small-disk.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

const { version } = await findDovecot();

const REPORTER = "00000000-0000-4000-8000-000000000001";

let root: string;
let disk: SmallDisk;
let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;
const complaints: string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "posthouse-disk-quota-"));
  disk = await aSmallDisk(root, "8g");
  const log = pino({ level: "warn" }, { write: (line: string) => void complaints.push(line) });
  dovecot = await aDovecot({ givenFolder: disk.path, log });
  domain = await aDomain((await aCompany()).id);
});
afterAll(async () => {
  await dovecot.running.stop();
  await Promise.all([dovecot.sieveListener.stop(), dovecot.policyServer.stop()]);
  await disk[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  await disk.resize("8g");
  complaints.length = 0;
  mailbox = (await aMailbox(domain)).address;
});

const message = Buffer.from("Subject: Saved\r\n\r\nHello.\r\n");

/** What a mail process writes to the database about the disk. */
async function report(isDiskLow: boolean): Promise<void> {
  const row = {
    id: REPORTER,
    role: "mail" as const,
    host: hostname(),
    pid: 1,
    version: "1",
    startedAt: new Date().toISOString(),
    aliveUntil: "infinity",
    facts: { isDiskLow },
  };
  await db()
    .insert(processes)
    .values(row)
    .onConflictDoUpdate({ target: processes.id, set: { facts: row.facts } });
}

test("below the reserve, IMAP rejects new messages even in open sessions; reading, moving and deliveries work", async () => {
  await report(false);
  await deliver(dovecot.lmtpSocket, mailbox);
  let app = await signIn(dovecot.imap, mailbox);
  /** Changes the free space. Dovecot 2.4 ends open sessions then, and mail apps sign in again. */
  const resize = async (size: string, isLow: boolean) => {
    const closed = version === "2.3" ? Promise.resolve() : once(app, "close");
    await disk.resize(size);
    await report(isLow);
    await closed;
    if (version !== "2.3") app = await signIn(dovecot.imap, mailbox);
  };
  await app.append("Drafts", message);
  await resize("1g", true);

  const refused = (await app.append("Drafts", message).catch((error: unknown) => error)) as {
    responseStatus: string;
    serverResponseCode: string;
    responseText: string;
  };
  expect(refused).toMatchObject({
    responseStatus: "NO",
    serverResponseCode: "OVERQUOTA",
    responseText: expect.stringContaining("disk") as string,
  });
  expect(await deliver(dovecot.lmtpSocket, mailbox)).toMatch(/^250 /);
  await app.mailboxOpen("INBOX");
  expect(await app.fetchAll("1:*", { envelope: true, source: true })).toHaveLength(2);
  await app.messageMove("1", "Trash");
  expect(await app.status("Trash", { messages: true })).toMatchObject({ messages: 1 });
  expect(await app.getQuota("INBOX")).toMatchObject({ path: "INBOX" });

  await resize("8g", false);
  await app.append("Drafts", message);
  await app.logout();
  expect(complaints).toEqual([]);
});

/** Signs in over ManageSieve and returns the replies to storing a script. */
async function putScript(): Promise<string> {
  const plain = Buffer.from(`\0${mailbox}\0test password`).toString("base64");
  const socket = createConnection(dovecot.sieve, "127.0.0.1");
  const script = "keep;\r\n";
  socket.write(`AUTHENTICATE "PLAIN" "${plain}"\r\n`);
  socket.write(`PUTSCRIPT "own" {${script.length}+}\r\n${script}\r\nLISTSCRIPTS\r\nLOGOUT\r\n`);
  return text(socket);
}

test("below the reserve, Sieve scripts can't be stored", async () => {
  await report(false);
  expect(await putScript()).toMatch(/^"own"\r$/m);
  await report(true);
  const refused = await putScript();
  expect(refused).toMatch(/^NO \(QUOTA\/MAXSIZE\) /m);
  expect(refused).toMatch(/^"own"\r$/m);
  await report(false);
  expect(await putScript()).not.toMatch(/^NO /m);
});
