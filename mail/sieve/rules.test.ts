import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { mailboxes, mailboxRules, messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, allowForwarding, aMailbox } from "#server/testing/factories.ts";
import { putScript, signIn } from "#server/testing/mail-app.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;
beforeAll(async () => {
  dovecot = await aDovecot();
  domain = await aDomain((await aCompany()).id);
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  mailbox = (await aMailbox(domain)).address;
  await allowForwarding(domain.companyId);
});

let scripts = 0;
async function rule(script: string) {
  const row = { script, scriptId: `script ${(scripts += 1)}` };
  await db()
    .insert(mailboxRules)
    .values({ mailbox, ...row })
    .onConflictDoUpdate({ target: mailboxRules.mailbox, set: row });
}

const file = (folder: string) =>
  `require ["fileinto", "mailbox"]; fileinto :create "${folder}";\r\n`;

const arrive = () => deliver(dovecot.lmtpSocket, mailbox);

/** The number of messages per folder, without empty folders. */
async function contents(): Promise<Record<string, number>> {
  const app = await signIn(dovecot.imap, mailbox);
  const folders = await app.list({ statusQuery: { messages: true } });
  await app.logout();
  return Object.fromEntries(
    folders
      .map(({ path, status }) => [path, status?.messages ?? 0] as const)
      .filter(([, count]) => count > 0),
  );
}

test("applies a changed rule to the next delivery and stops applying a removed one", async () => {
  await arrive();
  await rule(file("One"));
  await arrive();
  await arrive();
  await rule(file("Two"));
  await arrive();
  await rule("");
  await arrive();
  expect(await contents()).toEqual({ INBOX: 2, One: 2, Two: 1 });
});

test("runs the rules before the mailbox user's own script, which sees what they leave", async () => {
  await putScript(dovecot.sieve, mailbox, file("Own"));
  await rule(`if header :contains "subject" "none" { discard; }`);
  await arrive();
  await rule(file("Rules"));
  await arrive();
  expect(await contents()).toEqual({ Own: 1, Rules: 1 });
});

test("loses no mail to a script that is broken or never finishes", async () => {
  for (const script of [
    "this is no Sieve;",
    `require "nonsense"; keep;`,
    `require "reject"; reject "No.";`,
    `require "enotify"; notify "mailto:x@outside.example";`,
    'redirect "not an address";',
    `require "fileinto"; fileinto "../../etc";`,
    `require "fileinto"; fileinto "";`,
    Array.from({ length: 11 }, (_, i) => `redirect "${i}@outside.example";`).join("\n"),
  ]) {
    await rule(script);
    expect(await arrive()).toMatch(/^250/);
  }
  expect(await contents()).toEqual({ INBOX: 8 });
});

test("a full mailbox forwards nothing, however often a message is retried", async () => {
  const app = await signIn(dovecot.imap, mailbox);
  await app.append("INBOX", `Subject: Large\r\n\r\n${"x\r\n".repeat(600_000)}`);
  await app.logout();
  await rule(`require "copy"; redirect :copy "ann@outside.example";`);
  const forwarded = () => db().$count(messages, eq(messages.mailbox, mailbox));
  await arrive();
  expect(await forwarded()).toBe(1);
  await db().update(mailboxes).set({ quotaMb: 1 }).where(eq(mailboxes.address, mailbox));
  for (let retry = 0; retry < 2; retry++) expect(await arrive()).toMatch(/^452 4\.2\.2 /);
  expect(await forwarded()).toBe(1);
});

test("mail for a folder that can't be created arrives in the inbox", async () => {
  const store = new MailboxStore({ hostname: "mail.here.test" });
  const carry = async (to: string[]) => {
    const outcomes = await store.deliver({
      at: { path: dovecot.lmtpSocket },
      envelopeFrom: "ann@there.test",
      recipients: to,
      message: Buffer.from(`From: ann@there.test\r\nSubject: ${"x".repeat(300)}\r\n\r\nHi\r\n`),
    });
    return outcomes.map(({ result }) => result);
  };
  const other = (await aMailbox(domain)).address;
  await rule(file("\u0436".repeat(100)));
  expect(await carry([other, mailbox])).toEqual(["delivered", "delivered"]);
  await rule(
    `require ["fileinto", "variables"]; if header :matches "subject" "*" { fileinto "\${1}"; }`,
  );
  expect(await carry([mailbox])).toEqual(["delivered"]);
  await rule(file("New"));
  expect(await carry([mailbox])).toEqual(["delivered"]);
  expect(await contents()).toEqual({ INBOX: 2, New: 1 });
  await store.close();
});

test("while the Sieve listener is down, mail to be forwarded is deferred", async () => {
  await rule('redirect "ben@outside.example";');
  await dovecot.sieveListener.stop();
  expect(await arrive()).toMatch(/^451/);
  expect(await contents()).toEqual({});
  expect(await db().select().from(messages).where(eq(messages.mailbox, mailbox))).toEqual([]);

  await rule("");
  expect(await arrive()).toMatch(/^250/);
});
