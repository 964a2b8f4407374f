import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { mailboxUsage, messages } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { db } from "#server/db/pool.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { plain } from "#server/testing/a-submission-listener.ts";
import { deliver } from "#server/testing/deliver.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";
import { startReport } from "#server/testing/start-report.ts";

const SENDER = "ann@there.test";
const { dns } = await outsideDns({ "there.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] } });

let dataFolder: string;
let env: NodeJS.ProcessEnv;
let started: ChildProcess[];
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "posthouse-mail-"));
  await chmod(dataFolder, 0o755);
  // A separate host with the instance's key.
  await requireInstanceKey(db());
  await cp(join(config().dataFolder, "keys"), join(dataFolder, "keys"), { recursive: true });
  env = {
    ...process.env,
    DATABASE_URL: config().databaseUrl!,
    POSTHOUSE_DATA: dataFolder,
    POSTHOUSE_DNS: `${dns.address}:${dns.port}`,
    SMTP_PORT: String(await aFreePort()),
    SUBMISSION_PORT: String(await aFreePort()),
    SUBMISSIONS_PORT: String(await aFreePort()),
    IMAP_PORT: String(await aFreePort()),
    IMAPS_PORT: String(await aFreePort()),
    POP3_PORT: String(await aFreePort()),
    POP3S_PORT: String(await aFreePort()),
    SIEVE_PORT: String(await aFreePort()),
  };
  started = [];
});
afterEach(async () => {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  await rm(dataFolder, { recursive: true, force: true });
});

async function start(): Promise<ChildProcess> {
  const child = fork(fileOf("mail/main.ts"), {
    env,
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  started.push(child);
  expect(await startReport(child)).toEqual({ type: "ready" });
  return child;
}

const dovecotPid = async () =>
  Number(await readFile(join(dataFolder, "dovecot/run/master.pid"), "utf8"));

/** The SMTP dialog of an external message, up to `end`. */
const handIn = (recipients: string[], end: string) =>
  [
    "S: 220",
    "C: EHLO mx.there.test",
    "S: 250",
    `C: MAIL FROM:<${SENDER}>`,
    "S: 250",
    ...recipients.flatMap((to) => [`C: RCPT TO:<${to}>`, "S: 250"]),
    "C: DATA",
    "S: 354",
    `C: From: ${SENDER}`,
    "C: Message-ID: <hi@there.test>",
    "C: ",
    "C: Hi",
    "C: .",
    end,
  ].join("\n");

const untilDovecotIsGone = async (pid: number) => {
  await vi.waitFor(() => expect(() => process.kill(-pid, 0)).toThrow("ESRCH"));
  const connecting = once(createConnection(Number(env.IMAP_PORT), "127.0.0.1"), "connect");
  await expect(connecting).rejects.toThrow("ECONNREFUSED");
};

test("the process accepts mail and mail apps once it is ready, and exits cleanly on SIGTERM", async () => {
  const mailbox = await aMailbox(await aDomain((await aCompany()).id));
  const child = await start();
  const pid = await dovecotPid();
  expect(await deliver(lmtpSocketPath(dataFolder), mailbox.address)).toMatch(/^250 /);
  const app = await signIn(Number(env.IMAP_PORT), mailbox.address);
  expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 1 });
  await smtpDialog(Number(env.SMTP_PORT), handIn([mailbox.address], "S: 250 2.0.0 Accepted"));
  await vi.waitFor(async () =>
    expect(await app.status("INBOX", { messages: true })).toMatchObject({ messages: 2 }),
  );

  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  await untilDovecotIsGone(pid);
});

test("a submission answered with 250 survives a kill right after the reply", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const child = await start();
  await smtpDialog(
    Number(env.SUBMISSIONS_PORT),
    [
      "TLS",
      "S: 220",
      "C: EHLO laptop.test",
      "S: 250",
      `C: AUTH PLAIN ${plain(address)}`,
      "S: 235",
      `C: MAIL FROM:<${address}>`,
      "S: 250",
      "C: RCPT TO:<bob@elsewhere.test>",
      "S: 250",
      "C: DATA",
      "S: 354",
      `C: From: ${address}`,
      "C: ",
      "C: Hello",
      "C: .",
      "S: 250 2.0.0 Queued as message",
    ].join("\n"),
  );
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await db().$count(messages, eq(messages.mailbox, address))).toBe(1);
});

describe("a kill before the 250 loses nothing when the client sends the message again", () => {
  const mailsOf = async (address: string) => {
    const app = await signIn(Number(env.IMAP_PORT), address);
    try {
      const status = await app.status("INBOX", { messages: true });
      return status ? status.messages : undefined;
    } finally {
      app.close();
    }
  };

  const stopped = async (child: ChildProcess) => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };

  test("after delivery to a group and before delivery to a mailbox", async () => {
    const domain = await aDomain((await aCompany()).id);
    const { address } = await aMailbox(domain);
    const { address: group } = await aGroup(domain, { members: ["mia@elsewhere.test"] });
    const copies = () => db().$count(messages, eq(messages.groupAddress, group));
    const child = await start();
    const dovecot = await dovecotPid();
    process.kill(-dovecot, "SIGSTOP");
    const conversation = smtpDialog(Number(env.SMTP_PORT), handIn([group, address], "END"));
    await vi.waitFor(async () => expect(await copies()).toBe(1));
    await stopped(child);
    await conversation;
    process.kill(-dovecot, "SIGCONT");
    await untilDovecotIsGone(dovecot);

    await start();
    await smtpDialog(Number(env.SMTP_PORT), handIn([group, address], "S: 250 2.0.0 Accepted"));
    expect(await mailsOf(address)).toBe(1);
    expect(await copies()).toBe(1);
  });

  test("between Dovecot's 250 for one recipient and the commit for another", async () => {
    const domain = await aDomain((await aCompany()).id);
    const { address } = await aMailbox(domain);
    const { address: full } = await aMailbox(domain, { quotaMb: 1 });
    const waiting = () => db().$count(messages, eq(messages.companyId, domain.companyId));
    const child = await start();
    const dovecot = await dovecotPid();
    const large = `Subject: x\r\n\r\n${"x\r\n".repeat(349_300)}`;
    expect(await deliver(lmtpSocketPath(dataFolder), full, large)).toMatch(/^250 /);
    const recipients = [address, full];
    // Its usage is not known yet at RCPT TO.
    const forget = () => db().delete(mailboxUsage).where(eq(mailboxUsage.address, full));
    await vi.waitFor(async () => expect((await forget().returning()).length).toBe(1));

    await db().transaction(async (tx) => {
      await tx.execute(sql`lock table messages in share mode`);
      const conversation = smtpDialog(Number(env.SMTP_PORT), handIn(recipients, "END"));
      await vi.waitFor(async () => expect(await mailsOf(address)).toBe(1));
      await stopped(child);
      await conversation;
    });
    await untilDovecotIsGone(dovecot);
    expect(await waiting()).toBe(0);

    await start();
    await forget();
    await smtpDialog(Number(env.SMTP_PORT), handIn(recipients, "S: 250 2.0.0 Accepted"));
    // At worst a second copy.
    expect(await mailsOf(address)).toBe(2);
    expect(await waiting()).toBe(1);
  });
});

test("Dovecot dies with a killed mail process, and the next process can use its folder", async () => {
  const child = await start();
  const pid = await dovecotPid();
  child.kill("SIGKILL");
  await once(child, "exit");
  await start();
  await vi.waitFor(() => expect(() => process.kill(-pid, 0)).toThrow("ESRCH"));
});

test("the process exits when its parent is gone", async () => {
  const child = await start();
  const pid = await dovecotPid();
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
  await untilDovecotIsGone(pid);
});
