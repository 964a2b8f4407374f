import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import {
  companies,
  type Mailbox,
  mailboxes,
  orgUnits,
  signInAttempts,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import {
  ATTEMPTS_OF_ANY_KIND_MAX,
  ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX,
  ATTEMPTS_PER_ACCOUNT_MAX,
  ATTEMPTS_PER_SOURCE_MAX,
} from "#server/core/access/sign-in/throttle.ts";
import {
  createAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { db } from "#server/db/pool.ts";
import { distinctGuesses } from "#server/testing/distinct-guesses.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

import { authenticateMailbox, type MailService, SignInError } from "./mailbox-sign-in.ts";

let mailbox: Mailbox;

beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});

let sources = 0;

/** An address that no other test signs in from. */
const newSource = () => `2001:db8:${(sources += 1).toString(16)}::1`;

type Attempt = {
  username?: string;
  password?: string;
  clientAddress?: string;
  service?: MailService;
};

const enter = ({
  username = mailbox.address,
  password = "test password",
  clientAddress = newSource(),
  service = "smtp",
}: Attempt = {}) => authenticateMailbox(db(), { username, password, clientAddress, service });

/** The error's reason, or `in`. */
const outcome = (attempt: Attempt = {}) =>
  enter(attempt).then(
    () => "in",
    (error: unknown) => (error as SignInError).why,
  );

const change = (changed: Partial<Mailbox>) =>
  db().update(mailboxes).set(changed).where(eq(mailboxes.address, mailbox.address));

const setPolicy = (changed: Partial<typeof orgUnits.$inferInsert>) =>
  db().update(orgUnits).set(changed).where(eq(orgUnits.id, mailbox.orgUnitId));

const anAppPassword = () =>
  createAppPassword(aContext(mailbox.companyId), mailbox.address, "Phone");

test("accepts password and app password in mail apps, only the password at /account", async () => {
  const { secret } = await anAppPassword();
  expect(await enter({ username: ` ${mailbox.address.toUpperCase()}` })).toMatchObject({
    address: mailbox.address,
    companyId: mailbox.companyId,
    domainId: mailbox.domainId,
    name: "Ann Example",
    credential: "password",
    forcePasswordChange: false,
    policy: { submissionAllowed: true },
  });
  expect(await enter({ password: secret })).toMatchObject({ credential: "app_password" });
  expect(await outcome({ service: "account" })).toBe("in");
  expect(await outcome({ service: "account", password: secret })).toBe("not_allowed");
});

test("accepts an app password whatever its case and separators, for its mailbox only", async () => {
  const { secret } = await anAppPassword();
  const other = await aMailbox(await aDomain(mailbox.companyId));
  for (const attempt of [
    { username: other.address, password: secret },
    { password: secret.slice(0, -1) },
    { password: `${secret}x` },
  ])
    expect(await outcome(attempt)).toBe("wrong_credentials");
  expect(await listAppPasswords(aContext(mailbox.companyId), mailbox.address)).toMatchObject([
    { lastUsedAt: null },
  ]);
  for (const password of [
    secret.toUpperCase(),
    secret.replaceAll("-", ""),
    secret.replaceAll("-", " "),
    ` ${secret} `,
    secret.replaceAll("-", "–"),
    secret.replaceAll("-", "\u00a0"),
  ])
    expect([password, await outcome({ password })]).toEqual([password, "in"]);
});

test("accepts an alias for its mailbox, and a password in any Unicode form", async () => {
  const domain = await aDomain(mailbox.companyId);
  mailbox = await aMailbox(domain, { passwordHash: await hashPassword("a\u030A code and ö") });
  const alias = await anAlias(domain, mailbox.address);
  const usernames = [mailbox.address, alias, ` ${alias.toUpperCase()}\u00a0`];
  for (const username of [...usernames, mailbox.address.replace("@", "+shop@")])
    for (const service of ["smtp", "account"] as const)
      for (const password of ["\u00e5 code and o\u0308", "a\u030a code and \u00f6"])
        expect(await enter({ username, password, service })).toMatchObject({
          address: mailbox.address,
        });
  await anAlias(domain, mailbox.address, `*@${domain.name}`);
  for (const username of [`*@${domain.name}`, `x@${domain.name}`])
    expect(await outcome({ username, password: "\u00e5 code and ö" })).toBe("wrong_credentials");
});

test("gives the reason for a rejection only after the right password", async () => {
  const { secret } = await anAppPassword();
  const both = async (service: MailService = "smtp") => [
    await outcome({ service }),
    await outcome({ service, password: secret }),
    await outcome({ service, password: "wrong" }),
  ];
  await setPolicy({ submissionAllowed: false, imapAllowed: false });
  expect(await both()).toEqual(["not_allowed", "not_allowed", "wrong_credentials"]);
  expect(await both("imap")).toEqual(["not_allowed", "not_allowed", "wrong_credentials"]);
  expect(await both("pop3")).toEqual(["in", "in", "wrong_credentials"]);
  expect(await both("sieve")).toEqual(["in", "in", "wrong_credentials"]);
  await setPolicy({ submissionAllowed: true, appPasswordsAllowed: false });
  expect(await both()).toEqual(["in", "not_allowed", "wrong_credentials"]);
  await change({ forcePasswordChange: true });
  expect(await both()).toEqual([
    "must_change_password",
    "must_change_password",
    "wrong_credentials",
  ]);
  expect(await enter({ service: "account" })).toMatchObject({ forcePasswordChange: true });
  await change({ suspendedAt: new Date().toISOString() });
  expect(await both()).toEqual(["suspended", "suspended", "wrong_credentials"]);
  expect(await outcome({ service: "account" })).toBe("suspended");
});

test("rejects users of a suspended company", async () => {
  await db()
    .update(companies)
    .set({ suspendedAt: new Date().toISOString() })
    .where(eq(companies.id, mailbox.companyId));
  expect(await outcome()).toBe("suspended");
  expect(await outcome({ password: "wrong" })).toBe("wrong_credentials");
});

test("returns the same error for unknown addresses and wrong passwords, and counts both", async () => {
  const clientAddress = newSource();
  const usernames = [mailbox.address, `x${mailbox.address}`, "", "\0", "x".repeat(5_000), "\ud800"];
  const messages = await Promise.all(
    usernames.map((username) =>
      enter({ username, password: "wrong", clientAddress }).catch(
        (error: unknown) => (error as Error).message,
      ),
    ),
  );
  expect(new Set(messages)).toEqual(new Set(["The address or password is incorrect"]));
  const source = clientAddress.replace("::1", "::/64");
  const counted = await db().select().from(signInAttempts).where(eq(signInAttempts.source, source));
  expect(counted).toHaveLength(usernames.length);
});

const distinct = (count: number) => Array.from({ length: count }, (_, i) => i);
const wrongPasswords = (count: number) => distinctGuesses(mailbox.address, count, "test password");

const guess = (count: number, attempt: Attempt = {}) =>
  Promise.all(wrongPasswords(count).map((password) => outcome({ password, ...attempt })));

test("allows a source ten guesses per account, even concurrently", async () => {
  const clientAddress = newSource();
  const answers = await guess(20, { clientAddress });
  expect(answers.filter((why) => why === "wrong_credentials").length).toBeLessThanOrEqual(
    ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX,
  );
  for (const password of wrongPasswords(ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX))
    await outcome({ clientAddress, password });
  expect(await outcome({ clientAddress })).toBe("too_many_attempts");
  const refused = await enter({ clientAddress }).catch((error: unknown) => error as SignInError);
  expect(refused).toBeInstanceOf(SignInError);
  const { message, retryAfterSeconds } = refused as SignInError;
  expect(message).toMatch(/^Too many sign-in attempts\. Try again in 1\d minutes$/);
  expect(retryAfterSeconds).toBeGreaterThan(600);
  expect(await outcome()).toBe("in");
});

test("accepts sign-ins from a known network during an attack from others", async () => {
  const home = newSource();
  const formerHome = newSource();
  for (const clientAddress of [home, formerHome])
    expect(await outcome({ clientAddress })).toBe("in");
  await db()
    .update(signInNetworks)
    .set({ lastSeenAt: new Date(Date.now() - 91 * 86_400_000).toISOString() })
    .where(eq(signInNetworks.network, formerHome.replace("::1", "::/64")));
  for (let i = 0; i < ATTEMPTS_PER_ACCOUNT_MAX; i++) await outcome({ password: `wrong ${i}` });
  expect(await outcome()).toBe("too_many_attempts");
  expect(await outcome({ clientAddress: formerHome })).toBe("too_many_attempts");
  expect(await outcome({ clientAddress: home })).toBe("in");
});

test("accepts known users of a source that guesses at many accounts", async () => {
  const clientAddress = newSource();
  expect(await outcome({ clientAddress })).toBe("in");
  const spray = (i: number) =>
    outcome({ clientAddress, username: `guess-${i}@a.example`, password: "Summer2026" });
  for (let i = 0; i < ATTEMPTS_PER_SOURCE_MAX; i += 10)
    await Promise.all(Array.from({ length: 10 }, (_, k) => spray(i + k)));
  const other = await aMailbox(await aDomain(mailbox.companyId));
  expect(await outcome({ clientAddress, username: other.address })).toBe("too_many_attempts");
  expect(await outcome({ clientAddress })).toBe("in");
});

test("checks at most ten different guesses, whichever name of the mailbox they use", async () => {
  const alias = await anAlias(await aDomain(mailbox.companyId), mailbox.address);
  const clientAddress = newSource();
  const answers: string[] = [];
  for (let i = 0; i < 60; i++) {
    const username = i % 2 ? alias : mailbox.address;
    answers.push(await outcome({ clientAddress, username, password: `guess ${i}` }));
  }
  expect(answers.lastIndexOf("wrong_credentials")).toBe(ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX - 1);
});

test("caps attempts of any kind from one source, without extending the wait", async () => {
  const [stale, guesser] = [newSource(), newSource()];
  const repeat = (clientAddress: string, count: number, passwordOf: (i: number) => string) =>
    distinct(count).reduce<Promise<string[]>>(
      async (before, i) => [
        ...(await before),
        await outcome({ clientAddress, password: passwordOf(i) }),
      ],
      Promise.resolve([]),
    );
  const repeats = await repeat(stale, ATTEMPTS_OF_ANY_KIND_MAX + 5, () => "the old one");
  expect(repeats.filter((why) => why === "wrong_credentials")).toHaveLength(
    ATTEMPTS_OF_ANY_KIND_MAX,
  );
  expect(await outcome({ clientAddress: stale })).toBe("too_many_attempts");
  await repeat(guesser, ATTEMPTS_OF_ANY_KIND_MAX + 20, (i) => `guess ${i}`);
  const rows = await db()
    .select()
    .from(signInAttempts)
    .where(eq(signInAttempts.email, mailbox.address));
  expect(rows).toHaveLength(2 * ATTEMPTS_OF_ANY_KIND_MAX);
  expect(await outcome()).toBe("in");

  // Rejected guesses count toward the cap, but not as guesses.
  const age = (minutes: number) =>
    db().execute(sql`update sign_in_attempts set created_at = clock_timestamp()
      - make_interval(mins => ${minutes}) where email = ${mailbox.address}`);
  await age(16);
  for (const clientAddress of [stale, guesser]) expect(await outcome({ clientAddress })).toBe("in");
});

test("counts a repeated wrong password once", async () => {
  const clientAddress = newSource();
  for (let i = 0; i < 15; i++)
    expect(await outcome({ clientAddress, password: "the old one" })).toBe("wrong_credentials");
  expect(await outcome({ clientAddress })).toBe("in");
});

test("remembers the network of a successful sign-in, which doesn't count as a guess", async () => {
  const clientAddress = newSource();
  for (let i = 0; i < 60; i++) expect(await outcome({ clientAddress })).toBe("in");
  const networks = await db()
    .select({ network: signInNetworks.network })
    .from(signInNetworks)
    .where(eq(signInNetworks.account, mailbox.address));
  expect(networks).toEqual([{ network: clientAddress.replace("::1", "::/64") }]);
});
