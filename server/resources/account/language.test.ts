// cspell:disable
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { companies, forwardSuspensions, mailboxes } from "#drizzle/schema/index.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { db } from "#server/db/pool.ts";
import { settingsConsole } from "#server/resources/settings.ts";
import { call } from "#server/testing/call.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { rulesAccount } from "./rules.ts";
import { sessionsAccount } from "./sessions.ts";

async function aMailboxUser() {
  const company = await aCompany();
  const { address } = await aMailbox(await aDomain(company.id));
  const from = { clientAddress: "192.0.2.7", userAgent: null };
  const cookie = (await startAccountSession(db(), address, from)).split(";")[0]!;
  return { address, companyId: company.id, cookie };
}

const me = (cookie: string, accepted: string) =>
  call(sessionsAccount.getMe, { headers: { cookie, "accept-language": accepted } });

test("pages follow the browser until the mailbox user chooses a language", async () => {
  const { cookie, address } = await aMailboxUser();
  const { address: other } = await aMailboxUser();
  const before = await me(cookie, "de-DE");
  expect(before.body).toMatchObject({
    language: null,
    pageLanguage: "de",
    languages: ["en", "de"],
  });
  expect(before.headers.get("set-cookie")).toBeNull();

  const chosen = await call(sessionsAccount.setLanguage, { cookie, body: { language: "en" } });
  expect(chosen.headers.get("set-cookie")).toMatch(/^posthouse_language=en; Max-Age=31536000;/);
  const elsewhere = await me(cookie, "de-DE");
  expect(elsewhere.body).toMatchObject({ language: "en", pageLanguage: "en" });
  expect(elsewhere.headers.get("set-cookie")).toMatch(/^posthouse_language=en;/);
  const here = await me(`${cookie}; posthouse_language=en`, "de-DE");
  expect(here.headers.get("set-cookie")).toBeNull();
  const stored = await db().select().from(mailboxes).where(eq(mailboxes.address, other));
  expect(stored).toMatchObject([{ language: null }]);

  const again = await call(sessionsAccount.setLanguage, { cookie, body: { language: null } });
  expect(again.headers.get("set-cookie")).toMatch(/^posthouse_language=; Max-Age=0;/);
  expect((await me(cookie, "de-DE")).body).toMatchObject({ pageLanguage: "de" });
  expect(address).not.toBe(other);
});

test("forgets a language that another user chose in this browser", async () => {
  const { cookie } = await aMailboxUser();
  const found = await me(`${cookie}; posthouse_language=de`, "en-US");
  expect(found.body).toMatchObject({ pageLanguage: "en" });
  expect(found.headers.get("set-cookie")).toMatch(/^posthouse_language=; Max-Age=0;/);
});

test("rejects an unknown language", async () => {
  const { cookie } = await aMailboxUser();
  const body = { language: "xx" as "en" };
  expect(await call(sessionsAccount.setLanguage, { cookie, body })).toMatchObject({ status: 422 });
});

test("errors are in the language of the page; names and statuses stay", async () => {
  const { cookie } = await aMailboxUser();
  const fail = (accepted: string) =>
    call(sessionsAccount.changePassword, {
      headers: { cookie, "accept-language": accepted, "sec-fetch-site": "same-origin" },
      body: { currentPassword: "wrong", password: "seven green umbrellas" },
    });
  expect(await fail("de")).toMatchObject({
    status: 422,
    body: {
      name: "validation_error",
      message: "Das aktuelle Passwort ist falsch",
      fields: [{ path: "currentPassword", message: "Das aktuelle Passwort ist falsch." }],
    },
  });
  expect((await fail("en")).body).toMatchObject({ message: "The current password is incorrect" });
});

test("the reason for a suspended forward is in the language of the page", async () => {
  const { cookie, address: mailbox } = await aMailboxUser();
  await db().insert(forwardSuspensions).values({
    mailbox,
    target: "ben@example.net",
    dsn: "5.2.2",
    reply: "Full",
    suspendedAt: "2026-11-01T00:00:00Z",
  });
  const reasonIn = async (accepted: string) => {
    const headers = { cookie, "accept-language": accepted };
    return (await call(rulesAccount.get, { headers })).body;
  };
  const shown = (reason: string) => ({ suspendedForwards: [{ reason }] });
  expect(await reasonIn("de")).toMatchObject(shown("Das Postfach ist voll."));
  expect(await reasonIn("en")).toMatchObject(shown("The mailbox is full."));
});

test("a company's admins choose the language of its mailbox users", async () => {
  const { companyId } = await aMailboxUser();
  const { companyId: otherId } = await aMailboxUser();
  const cookie = await aSession(companyId, ["manage_settings"]);
  expect(await call(settingsConsole.update, { cookie, body: { language: "de" } })).toMatchObject({
    status: 200,
  });
  expect((await call(settingsConsole.get, { cookie })).body).toMatchObject({
    language: "de",
    languages: ["en", "de"],
  });
  const other = await db().select().from(companies).where(eq(companies.id, otherId));
  expect(other).toMatchObject([{ language: "en" }]);
});
