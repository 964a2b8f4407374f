import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import {
  companies,
  type Mailbox,
  mailboxes,
  orgUnits,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX } from "#server/core/access/sign-in/throttle.ts";
import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswords,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

import type { SignInError } from "./mailbox-sign-in.ts";
import { authenticateRepeatedly } from "./repeated-sign-in.ts";

let mailbox: Mailbox;

beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});

afterEach(() => vi.useRealTimers());

let networks = 0;
const newNetwork = () => `192.0.2.${(networks += 1)}`;

const outcome = ({
  username = mailbox.address,
  password = "test password",
  clientAddress = newNetwork(),
} = {}) =>
  authenticateRepeatedly(db(), { username, password, clientAddress, service: "calendar" }).then(
    ({ store }) => store,
    (error: unknown) => (error as SignInError).why,
  );

/** The whole sign-in, with argon2, records the network. */
const countWholeSignIns = () =>
  db().$count(signInNetworks, eq(signInNetworks.account, mailbox.address));

const change = (changed: Partial<Mailbox>) =>
  db().update(mailboxes).set(changed).where(eq(mailboxes.address, mailbox.address));

const setPolicy = (changed: Partial<typeof orgUnits.$inferInsert>) =>
  db().update(orgUnits).set(changed).where(eq(orgUnits.id, mailbox.orgUnitId));

const context = () => aContext(mailbox.companyId);

test("verifies a right password once in five minutes, whichever name is used", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const alias = await anAlias(await aDomain(mailbox.companyId), mailbox.address);
  for (const username of [mailbox.address, alias, mailbox.address.toUpperCase()])
    expect(await outcome({ username })).toBe(mailbox.store);
  expect(await countWholeSignIns()).toBe(1);
  vi.advanceTimersByTime(299_000);
  await outcome();
  expect(await countWholeSignIns()).toBe(1);
  vi.advanceTimersByTime(2_000);
  await outcome();
  expect(await countWholeSignIns()).toBe(2);
});

test("rejects the old password at once after it changed", async () => {
  expect(await outcome()).toBe(mailbox.store);
  await change({ passwordHash: await hashPassword("another password") });
  expect(await outcome()).toBe("wrong_credentials");
  expect(await outcome({ password: "another password" })).toBe(mailbox.store);
});

test("accepts an app password until it is revoked, and records its use", async () => {
  const { id, secret } = await createAppPassword(context(), mailbox.address, "Phone");
  await change({ totpSecret: "sealed" });
  for (const password of [secret, secret]) expect(await outcome({ password })).toBe(mailbox.store);
  expect(await countWholeSignIns()).toBe(1);
  expect(await listAppPasswords(context(), mailbox.address)).toMatchObject([
    { lastUsedFor: "calendar" },
  ]);
  expect(await outcome()).toBe("not_allowed");
  await deleteAppPassword(context(), mailbox.address, id).catch(() => {});
  expect(await outcome({ password: secret })).toBe("wrong_credentials");
});

test("rejects app passwords for mail, even after they were verified for SMTP", async () => {
  const { address } = mailbox;
  const withScope = async (scope: "all" | "mail" | "calendar") =>
    (await createAppPassword(context(), address, scope, { scope })).secret;
  const [all, mail, calendar] = [
    await withScope("all"),
    await withScope("mail"),
    await withScope("calendar"),
  ];
  for (let i = 0; i < 2; i++) {
    expect(await outcome({ password: all })).toBe(mailbox.store);
    expect(await outcome({ password: calendar })).toBe(mailbox.store);
    expect(await outcome({ password: mail })).toBe("not_allowed");
    const from = { clientAddress: newNetwork(), service: "smtp" } as const;
    const send = (password: string) =>
      authenticateRepeatedly(db(), { username: address, password, ...from });
    expect((await send(mail)).store).toBe(mailbox.store);
    await expect(send(calendar)).rejects.toMatchObject({
      why: "not_allowed",
      message: expect.stringContaining(
        "only for calendars and contacts. Create another:",
      ) as string,
    });
  }
});

test("checks suspension, second factor and policies with each request", async () => {
  expect(await outcome()).toBe(mailbox.store);
  await setPolicy({ calendarAllowed: false });
  expect(await outcome()).toBe("not_allowed");
  await setPolicy({ calendarAllowed: true, imapAllowed: false });
  expect(await outcome()).toBe(mailbox.store);
  await change({ totpSecret: "sealed" });
  expect(await outcome()).toBe("not_allowed");
  await change({ totpSecret: null, forcePasswordChange: true });
  expect(await outcome()).toBe("must_change_password");
  await change({ suspendedAt: new Date().toISOString() });
  expect(await outcome()).toBe("suspended");
  await change({ suspendedAt: null, forcePasswordChange: false });
  expect(await outcome()).toBe(mailbox.store);
  await db()
    .update(companies)
    .set({ suspendedAt: new Date().toISOString() })
    .where(eq(companies.id, mailbox.companyId));
  expect(await outcome()).toBe("suspended");
  expect(await countWholeSignIns()).toBe(1);
});

test("limits guesses, and doesn't accept one mailbox's password for another", async () => {
  const other = await aMailbox(await aDomain(mailbox.companyId), {
    passwordHash: await hashPassword("other password"),
  });
  expect(await outcome()).toBe(mailbox.store);
  expect(await outcome({ username: other.address })).toBe("wrong_credentials");
  const clientAddress = newNetwork();
  for (let i = 0; i < ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX; i++)
    expect(await outcome({ password: `guess ${i}`, clientAddress })).toBe("wrong_credentials");
  expect(await outcome({ password: "one more", clientAddress })).toBe("too_many_attempts");
  expect(await outcome({ username: "nobody@a.example" })).toBe("wrong_credentials");
});
