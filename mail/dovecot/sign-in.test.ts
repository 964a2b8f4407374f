import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { type Mailbox, mailboxes, mailboxSignIns } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

let dovecot: TestDovecot;
let mailbox: Mailbox;
beforeAll(async () => {
  dovecot = await aDovecot();
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});
afterAll(() => dovecot.stop());

/** The server's answers to `lines`, sent one after another. */
async function dialog(port: number, ...lines: string[]): Promise<string[]> {
  const socket = createConnection(port, "127.0.0.1");
  const answers: string[] = [];
  for await (const answer of createInterface({ input: socket })) {
    answers.push(answer);
    const next = lines.shift();
    if (next === undefined) break;
    socket.write(`${next}\r\n`);
  }
  socket.destroy();
  return answers;
}

const imapSignIn = async (address: string, password = "test password") =>
  (await dialog(dovecot.imap, `a LOGIN "${address}" "${password}"`)).at(-1);

test("the right password opens the mailbox, whatever the case of the address, and the moment is recorded", async () => {
  const before = Math.floor(Date.now() / 1000);
  const app = await signIn(dovecot.imap, mailbox.address.toUpperCase());
  expect((await app.list()).map(({ path }) => path).sort()).toEqual([
    ...["Drafts", "INBOX", "Junk", "Sent", "Trash"],
  ]);
  await app.logout();

  await vi.waitFor(async () => {
    const [row] = await db()
      .select()
      .from(mailboxSignIns)
      .where(eq(mailboxSignIns.address, mailbox.address));
    expect(row?.lastSignIn).toBeGreaterThanOrEqual(before);
  });
});

test("a wrong password and an unknown address are refused alike", async () => {
  const refusal = "a NO [AUTHENTICATIONFAILED] Authentication failed.";
  expect(await imapSignIn(mailbox.address, "wrong")).toBe(refusal);
  expect(await imapSignIn(`x${mailbox.address}`)).toBe(refusal);
  expect(await imapSignIn(`' OR address LIKE '%`)).toBe(refusal);
});

test("who may not sign in hears why, after the right password only", async () => {
  const stopped = async (change: Partial<Mailbox>) => {
    await db().update(mailboxes).set(change).where(eq(mailboxes.address, mailbox.address));
    return [await imapSignIn(mailbox.address), await imapSignIn(mailbox.address, "wrong")];
  };
  const generic = "a NO [AUTHENTICATIONFAILED] Authentication failed.";
  expect(await stopped({ forcePasswordChange: true })).toEqual([
    "a NO [CONTACTADMIN] Please set a new password first: https://mail.example.test/account",
    generic,
  ]);
  expect(await stopped({ suspendedAt: new Date().toISOString() })).toEqual([
    "a NO [CONTACTADMIN] This mailbox is suspended.",
    generic,
  ]);
  const [restored] = await stopped({ suspendedAt: null, forcePasswordChange: false });
  expect(restored).toMatch(/^\* CAPABILITY|^a OK/);
});

test("IMAPS and STARTTLS show the appliance's certificate", async () => {
  const tls = { ca: dovecot.certificate.certificate, servername: "mail.example.test" };
  for (const [port, options] of [
    [dovecot.imaps, { secure: true, tls }],
    [dovecot.imap, { secure: false, doSTARTTLS: true, tls }],
  ] as const) {
    const app = await signIn(port, mailbox.address, options);
    expect(app.secureConnection).toBe(true);
    await app.logout();
  }
});

test("POP3 signs in with the same password, and ManageSieve offers what may be done with mail", async () => {
  const answers = await dialog(
    dovecot.pop3,
    `USER ${mailbox.address}`,
    "PASS test password",
    "QUIT",
  );
  expect(answers).toEqual([
    "+OK mail.example.test ready",
    "+OK",
    "+OK Logged in.",
    "+OK Logging out.",
  ]);

  const socket = createConnection(dovecot.sieve, "127.0.0.1");
  socket.write("LOGOUT\r\n");
  const sieve = (await text(socket)).split("\r\n").find((line) => line.startsWith('"SIEVE"'));
  expect(sieve).toMatch(/fileinto .*vacation/);
  expect(sieve).not.toMatch(/reject|enotify/);
});
