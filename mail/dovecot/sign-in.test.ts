import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import {
  aliases,
  companies,
  type IdentityProvider,
  identityProviders,
  type Mailbox,
  mailboxes,
  mailboxIdentities,
  mailboxSessions,
  mailboxSignIns,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import {
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { webmailPassword } from "#server/core/access/sessions/webmail-password.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

let dovecot: TestDovecot;
let mailbox: Mailbox;
beforeAll(async () => {
  dovecot = await aDovecot();
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});
afterAll(() => dovecot.stop());

/** The server's replies to `lines`, sent one after another. */
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

/** The greeting of ManageSieve has several lines. */
async function sieveDialog(command: string): Promise<string[]> {
  const socket = createConnection(dovecot.sieve, "127.0.0.1");
  const answers: string[] = [];
  let isGreeted = false;
  for await (const answer of createInterface({ input: socket })) {
    if (isGreeted) answers.push(answer);
    if (isGreeted && /^(OK|NO|BYE)/.test(answer)) break;
    if (/^OK/.test(answer) && !isGreeted) {
      isGreeted = true;
      socket.write(`${command}\r\n`);
    }
  }
  socket.destroy();
  return answers;
}

const pop3SignIn = async (password = "test password") =>
  (await dialog(dovecot.pop3, `USER ${mailbox.address}`, `PASS ${password}`))[2];

const imapSignIn = async (address: string, password = "test password") =>
  (await dialog(dovecot.imap, `a LOGIN "${address}" "${password}"`)).at(-1);

test("the right password opens the mailbox, whatever the case of the address, and the time is recorded", async () => {
  const before = Math.floor(Date.now() / 1000);
  const app = await signIn(dovecot.imap, mailbox.address.toUpperCase());
  expect((await app.list()).map(({ path }) => path).sort()).toEqual([
    "Drafts",
    "INBOX",
    "Junk",
    "Sent",
    "Trash",
  ]);
  await app.logout();

  const times = async () =>
    (
      await db().select().from(mailboxSignIns).where(eq(mailboxSignIns.address, mailbox.address))
    )[0];
  await vi.waitFor(async () => expect((await times())?.lastSignIn).toBeGreaterThanOrEqual(before));
  expect(await times()).toMatchObject({ lastPop3: 0 });

  const { lastSignIn } = (await times())!;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThanOrEqual(1_000 * (lastSignIn + 1)));
  await pop3SignIn();
  await vi.waitFor(async () => expect((await times())?.lastPop3).toBeGreaterThan(lastSignIn));
  expect(await times()).toMatchObject({ lastSignIn });
});

test("a wrong password and an unknown address get the same error", async () => {
  const refusal = "a NO [AUTHENTICATIONFAILED] Authentication failed.";
  expect(await imapSignIn(mailbox.address, "wrong")).toBe(refusal);
  expect(await imapSignIn(`x${mailbox.address}`)).toBe(refusal);
  expect(await imapSignIn(`' OR address LIKE '%`)).toBe(refusal);
});

test("webmail's password opens IMAP and ManageSieve while its session lasts, but not POP3", async () => {
  const unit = eq(orgUnits.companyId, mailbox.companyId);
  await db().update(orgUnits).set({ appPasswordsAllowed: false, imapAllowed: false }).where(unit);
  const from = { clientAddress: "127.0.0.1", userAgent: null };
  await startAccountSession(db(), mailbox.address, from);
  const [session] = await db()
    .select()
    .from(mailboxSessions)
    .where(eq(mailboxSessions.userId, mailbox.address));
  const password = (await webmailPassword(db(), session!.id))!;
  expect(await imapSignIn(mailbox.address, password)).toMatch(/^\* CAPABILITY|^a OK/);
  const plain = Buffer.from(`\0${mailbox.address}\0${password}`).toString("base64");
  expect((await sieveDialog(`AUTHENTICATE "PLAIN" "${plain}"`)).at(-1)).toMatch(/^OK/);
  expect(await pop3SignIn(password)).toContain("Your company does not allow this protocol.");
  await db().update(orgUnits).set({ appPasswordsAllowed: true, imapAllowed: true }).where(unit);

  await endAccountSession(db(), session!.id);
  expect(await imapSignIn(mailbox.address, password)).toContain("AUTHENTICATIONFAILED");
});

test("a user who may not sign in gets the reason, only after the right password", async () => {
  const stopped = async (change: Partial<Mailbox>) => {
    await db().update(mailboxes).set(change).where(eq(mailboxes.address, mailbox.address));
    return [await imapSignIn(mailbox.address), await imapSignIn(mailbox.address, "wrong")];
  };
  const generic = "a NO [AUTHENTICATIONFAILED] Authentication failed.";
  expect(await stopped({ forcePasswordChange: true })).toEqual([
    "a NO [CONTACTADMIN] Set a new password first: https://mail.example.test/account",
    generic,
  ]);
  expect(await stopped({ suspendedAt: new Date().toISOString() })).toEqual([
    "a NO [CONTACTADMIN] This mailbox is suspended.",
    generic,
  ]);
  const [restored] = await stopped({ suspendedAt: null, forcePasswordChange: false });
  expect(restored).toMatch(/^\* CAPABILITY|^a OK/);
});

test("an app password for calendars and contacts can't read mail", async () => {
  const ctx = aContext(mailbox.companyId);
  const create = (scope: "mail" | "calendar") =>
    createAppPassword(ctx, mailbox.address, "Phone", { scope });
  const { secret } = await create("calendar");
  const why =
    "This app password is only for calendars and contacts. Create another: https://mail.example.test/account";
  expect(await imapSignIn(mailbox.address, secret)).toBe(`a NO [CONTACTADMIN] ${why}`);
  expect(await pop3SignIn(secret)).toBe(`-ERR [AUTH] ${why}`);
  const mail = (await create("mail")).secret;
  expect(await imapSignIn(mailbox.address, mail)).toMatch(/^\* CAPABILITY|^a OK/);
});

test("an app password follows the same rules as the mailbox password", async () => {
  const { secret } = await createAppPassword(aContext(mailbox.companyId), mailbox.address, "Phone");
  const setPolicy = (policy: Partial<typeof orgUnits.$inferInsert>) =>
    db().update(orgUnits).set(policy).where(eq(orgUnits.id, mailbox.orgUnitId));
  const suspend = (suspendedAt: string | null) =>
    db().update(companies).set({ suspendedAt }).where(eq(companies.id, mailbox.companyId));
  const both = async () => [
    await imapSignIn(mailbox.address),
    await imapSignIn(mailbox.address, secret),
    await pop3SignIn(),
    await pop3SignIn(secret),
  ];
  const isIn = expect.stringMatching(/^\* CAPABILITY|^a OK/) as string;
  const isInPop3 = "+OK Logged in.";
  const refused = (why: string) => [`a NO [CONTACTADMIN] ${why}`, `-ERR [AUTH] ${why}`] as const;

  expect(await both()).toEqual([isIn, isIn, isInPop3, isInPop3]);
  await setPolicy({ imapAllowed: false });
  const [noImap] = refused("Your company does not allow this protocol.");
  expect(await both()).toEqual([noImap, noImap, isInPop3, isInPop3]);
  await setPolicy({ imapAllowed: null, pop3Allowed: false, appPasswordsAllowed: false });
  const [, noPop3] = refused("Your company does not allow this protocol.");
  const [noApp] = refused("Your company does not allow app passwords.");
  expect(await both()).toEqual([isIn, noApp, noPop3, noPop3]);
  await setPolicy({ pop3Allowed: null, appPasswordsAllowed: null });
  const setFactor = (isOn: boolean) =>
    db()
      .update(mailboxes)
      .set({ totpSecret: isOn ? "sealed" : null })
      .where(eq(mailboxes.address, mailbox.address));
  await setFactor(true);
  const [factor, factorPop3] = refused(
    "Two-factor authentication is on. Use an app password: https://mail.example.test/account",
  );
  expect(await both()).toEqual([factor, isIn, factorPop3, isInPop3]);
  await setFactor(false);
  await db().insert(identityProviders).values({
    companyId: mailbox.companyId,
    issuer: "https://id.example.com",
    clientId: "a",
    sealedClientSecret: "",
    allowsMailboxes: true,
    requiredForMailboxes: true,
  });
  const setProvider = (change: Partial<IdentityProvider>) =>
    db()
      .update(identityProviders)
      .set(change)
      .where(eq(identityProviders.companyId, mailbox.companyId))
      .returning({ id: identityProviders.id });
  const setPasswordDue = (forcePasswordChange: boolean) =>
    db()
      .update(mailboxes)
      .set({ forcePasswordChange })
      .where(eq(mailboxes.address, mailbox.address));
  await setPasswordDue(true);
  const [provider, providerPop3] = refused(
    "Your company requires single sign-on. Use an app password: https://mail.example.test/account",
  );
  expect(await both()).toEqual([provider, isIn, providerPop3, isInPop3]);
  const [{ id: providerId } = { id: "" }] = await setProvider({ requiredForMailboxes: false });
  const [due, duePop3] = refused("Set a new password first: https://mail.example.test/account");
  expect(await both()).toEqual([due, due, duePop3, duePop3]);
  await db()
    .insert(mailboxIdentities)
    .values({ providerId, subject: "ann", mailbox: mailbox.address });
  expect(await both()).toEqual([due, isIn, duePop3, isInPop3]);
  await setProvider({ allowsMailboxes: false });
  expect(await both()).toEqual([due, due, duePop3, duePop3]);
  await setPasswordDue(false);
  await suspend(new Date().toISOString());
  const [suspended, suspendedPop3] = refused("This mailbox is suspended.");
  expect(await both()).toEqual([suspended, suspended, suspendedPop3, suspendedPop3]);
  await suspend(null);
});

test("IMAPS and STARTTLS present the appliance's certificate", async () => {
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

test("POP3 accepts the same password, and ManageSieve lists its capabilities", async () => {
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

test("accepts every spelling of name and password that means the same, with all protocols", async () => {
  const domain = await aDomain(mailbox.companyId);
  const passwordHash = await hashPassword("Grüße für 3 Cafés");
  const { address } = await aMailbox(domain, { passwordHash });
  const alias = await anAlias(domain, address);
  const { secret } = await createAppPassword(aContext(mailbox.companyId), address, "Phone");
  const plain = (name: string, password: string) =>
    Buffer.from(`\0${name}\0${password}`).toString("base64");
  const tries: Record<string, (credentials: string) => Promise<string>> = {
    imap: async (it) => (await dialog(dovecot.imap, `a AUTHENTICATE PLAIN ${it}`)).at(-1)!,
    pop3: async (it) => (await dialog(dovecot.pop3, `AUTH PLAIN ${it}`)).at(-1)!,
    sieve: async (it) =>
      (await sieveDialog(`AUTHENTICATE "PLAIN" "${it}"`)).find((line) => /^(OK|NO)/.test(line))!,
  };
  const isIn = (answer: string) => /^(\* CAPABILITY|a OK|\+OK|OK)/.test(answer);
  const right = "Grüße für 3 Cafés".normalize("NFC");
  const accepted = [
    ...[
      ` ${address}`,
      `${address} `,
      `${address}\t`,
      address.toUpperCase(),
      alias,
      ` ${alias} `,
    ].map((name) => [name, right]),
    ...[address.replace("@", "+shop@"), `\u00a0${address}`].map((name) => [name, secret]),
    ...[right.normalize("NFD"), right].map((password) => [address, password]),
    ...[
      secret,
      secret.toUpperCase(),
      secret.replaceAll("-", ""),
      secret.replaceAll("-", " "),
      ` ${secret} `,
      secret.replaceAll("-", "\u2011"),
      secret.replace(/\w/, (letter) => letter.toUpperCase()),
    ].map((password) => [alias, password]),
  ] as [string, string][];
  for (const [service, enter] of Object.entries(tries))
    for (const [name, password] of accepted)
      expect([service, name, password, isIn(await enter(plain(name, password)))]).toEqual([
        service,
        name,
        password,
        true,
      ]);

  await db().update(aliases).set({ active: false }).where(eq(aliases.address, alias));
  await anAlias(domain, address, `*@${domain.name}`);
  for (const [name, password] of [
    [alias, right],
    [`*@${domain.name}`, right],
    [`anyone@${domain.name}`, right],
    [address, `${right} `],
    [address, right.toUpperCase()],
    [address, secret.slice(1)],
  ] as const)
    expect(isIn(await tries.imap!(plain(name, password)))).toBe(false);
});
