import { randomUUID } from "node:crypto";
import { createServer, request } from "node:http";

import { hash } from "@node-rs/argon2";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { appPasswords, signInAttempts, signInNetworks } from "#drizzle/schema/index.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";
import { imapDialog, imapSignIn } from "#server/testing/imap-dialog.ts";

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
});

let sources = 0;
/** An address that no other test signs in from. */
const newSource = () => `127.1.${Math.floor((sources += 1) / 250)}.${(sources % 250) + 1}`;

const trySignIn = (from: string, password?: string, address = mailbox) =>
  imapSignIn(dovecot.imaps, address, { password, from });

let guesses = 0;
const newGuess = () => `wrong ${(guesses += 1)}`;

/** Different wrong passwords, all at once. */
const guess = (count: number, from?: string) =>
  Promise.all(Array.from({ length: count }, () => trySignIn(from ?? newSource(), newGuess())));

const IN = /^OK /;
const WRONG = "NO [AUTHENTICATIONFAILED] Authentication failed.";
const TEMPORARY = /^NO \[UNAVAILABLE\] Temporary authentication failure\./;
const TOO_MANY = /^NO \[ALERT\] Too many sign-in attempts\. Try again in 1\d minutes$/;

test("the eleventh wrong password locks the source out of the mailbox, but not its user's own network", async () => {
  const [home, thief] = [newSource(), newSource()];
  expect(await trySignIn(home)).toMatch(IN);
  const answers = await guess(15, thief);
  expect(answers.filter((answer) => answer === WRONG).length).toBeLessThanOrEqual(10);
  expect(answers.filter((answer) => TOO_MANY.test(answer)).length).toBeGreaterThanOrEqual(5);
  expect(answers.filter((answer) => answer === WRONG || TOO_MANY.test(answer))).toHaveLength(15);
  // Some concurrent attempts are rejected because too many others are in progress.
  let rest = 10;
  while (!TOO_MANY.test(await trySignIn(thief, newGuess()))) expect((rest -= 1)).toBeGreaterThan(0);
  expect(await trySignIn(thief)).toMatch(TOO_MANY);

  expect(await trySignIn(home)).toMatch(IN);
});

test("distributed guesses lock out unknown networks only", async () => {
  const home = newSource();
  expect(await trySignIn(home)).toMatch(IN);
  for (let i = 0; i < 4; i++) await guess(10);
  expect(await trySignIn(newSource())).toMatch(TOO_MANY);
  expect(await trySignIn(home)).toMatch(IN);
});

test("stops one password tried on many accounts, whether or not they exist", async () => {
  const from = newSource();
  // Some concurrent attempts are rejected, and those are not counted.
  for (let round = 0; round < 4; round++)
    await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        trySignIn(from, "Summer2026!", `nobody-${round}-${i}@${i % 2 ? domain.name : "a.example"}`),
      ),
    );
  const spray = () => trySignIn(from, "Summer2026!", `nobody-${randomUUID()}@${domain.name}`);
  let rest = 10;
  while (!TOO_MANY.test(await spray())) expect((rest -= 1)).toBeGreaterThan(0);
  expect(await trySignIn(from)).toMatch(TOO_MANY);
});

test("a mail app that retries an old password does not count as guessing", async () => {
  const from = newSource();
  const again = Array.from({ length: 15 }, () => trySignIn(from, "the old one"));
  expect(new Set(await Promise.all(again))).toEqual(new Set([WRONG]));
  expect(await trySignIn(from)).toMatch(IN);
});

test(
  "many users behind one address can reconnect at the same time",
  { timeout: 60_000 },
  async () => {
    const [from, passwordHash] = [newSource(), await hash("test password")];
    const people = await Promise.all(
      Array.from({ length: 80 }, () => aMailbox(domain, { passwordHash })),
    );
    const answers = await Promise.all(
      people.map(({ address }) => trySignIn(from, undefined, address)),
    );
    expect(answers.filter((answer) => IN.test(answer))).toHaveLength(80);
  },
);

test("sign-ins through Dovecot, submission and the web are counted together", async () => {
  const from = newSource();
  for (let i = 0; i < 5; i++) await guess(2, from);
  await expect(
    authenticateMailbox(db(), {
      username: mailbox,
      password: "test password",
      clientAddress: from,
      service: "smtp",
    }),
  ).rejects.toMatchObject({ why: "too_many_attempts" });
});

test("a correct password is not counted, and its network and app password are recorded", async () => {
  const ctx = aContext(domain.companyId);
  const { id, secret } = await createAppPassword(ctx, mailbox, "Phone");
  const from = newSource();
  expect(await trySignIn(from, secret)).toMatch(IN);
  await vi.waitFor(async () => {
    const [row] = await db().select().from(appPasswords).where(eq(appPasswords.id, id));
    expect(row).toMatchObject({ lastUsedFor: "imap", lastUsedFrom: from });
  });
  expect(await db().select().from(signInAttempts).where(eq(signInAttempts.email, mailbox))).toEqual(
    [],
  );
  expect(
    await db()
      .select({ network: signInNetworks.network })
      .from(signInNetworks)
      .where(and(eq(signInNetworks.account, mailbox))),
  ).toEqual([{ network: from }]);
});

test("clients cannot forge their IP address", async () => {
  const from = newSource();
  const commands = [
    `ID ("x-originating-ip" "203.0.113.9" "x-originating-port" "1" "x-proxy-ttl" "2")`,
    `LOGIN "${mailbox}" "wrong"`,
  ];
  expect((await imapDialog(dovecot.imaps, commands, { from }))[1]).toBe(`t ${WRONG}`);
  const rows = await db().select().from(signInAttempts).where(eq(signInAttempts.email, mailbox));
  expect(rows.map(({ source }) => source)).toEqual([from]);
});

test("attempts with unknown names are rejected and counted", async () => {
  const from = newSource();
  const names = [
    "../../etc/passwd",
    `${mailbox}/../x`,
    `%u%d${mailbox}`,
    `"${mailbox}"`,
    `${mailbox}*${mailbox}`,
    `'; drop table mailboxes; --`,
    "x".repeat(900),
    "ö\u{1f600}",
    "\\",
    " ",
  ];
  const answers = await Promise.all(names.map((name) => trySignIn(from, undefined, name)));
  expect(new Set(answers)).toEqual(new Set([WRONG]));
  const rows = await db().select().from(signInAttempts).where(eq(signInAttempts.source, from));
  expect(rows).toHaveLength(names.length);
  expect(await trySignIn(from)).toMatch(IN);
});

test("counts attempts with names of arbitrary bytes", async () => {
  const from = newSource();
  const names = ["\xff\xfe", "a\x01b", "a\tb\r\n", '","login":"x', "\x80".repeat(400)];
  for (const name of names) {
    const credentials = Buffer.from(`\0${name}\0test password`, "latin1").toString("base64");
    const [answer] = await imapDialog(dovecot.imaps, [`AUTHENTICATE PLAIN ${credentials}`], {
      from,
    });
    // Postgres rejects bytes that are not UTF-8.
    expect(answer).toMatch(/^t NO \[(AUTHENTICATIONFAILED|UNAVAILABLE)\]/);
  }
  const rows = await db().select().from(signInAttempts).where(eq(signInAttempts.source, from));
  expect(rows).toHaveLength(names.length);
});

test("the policy server requires its key", async () => {
  const answered = await new Promise((resolve) => {
    const asked = request({ port: dovecot.policyServer.port, method: "POST" }, (response) =>
      resolve(response.resume().statusCode),
    );
    asked.end("{}");
  });
  expect(answered).toBe(401);
});

test("rejects a body over 64 KB, even in chunks without an announced length", async () => {
  const { port, key } = dovecot.policyServer;
  const send = (bytes: number) =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${key}`, "transfer-encoding": "chunked" };
      const asked = request({ port, method: "POST", headers }, (response) =>
        resolve(response.resume().statusCode),
      );
      asked.on("error", resolve);
      for (let sent = 0; sent < bytes; sent += 1_024) asked.write(" ".repeat(1_024));
      asked.end("{}");
    });
  expect(await send(32 * 1_024)).toBe(200);
  expect(await send(128 * 1_024)).toBe(500);
});

test("counts guesses with an alias for its mailbox, and stops at ten of any number", async () => {
  const [from, alias] = [newSource(), await anAlias(domain, mailbox)];
  const answers: string[] = [];
  for (let i = 0; i < 24; i++)
    answers.push(await trySignIn(from, newGuess(), i % 2 ? alias : ` ${mailbox.toUpperCase()}`));
  expect(answers.filter((answer) => answer === WRONG)).toHaveLength(10);
  expect(answers.slice(10).every((answer) => TOO_MANY.test(answer))).toBe(true);
  expect(await trySignIn(from)).toMatch(TOO_MANY);
});

test("while the policy server is slow or down, sign-in fails temporarily", async () => {
  const from = newSource();
  expect(await trySignIn(from)).toMatch(IN);
  await dovecot.policyServer.stop();
  expect(await trySignIn(from)).toMatch(TEMPORARY);
  expect(await trySignIn(from, "wrong")).toMatch(TEMPORARY);
  const slow = createServer(() => {}).listen(dovecot.policyServer.port, "127.0.0.1");
  expect(await trySignIn(newSource())).toMatch(TEMPORARY);
  slow.close().closeAllConnections();
}, 120_000);
