import { and, eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, noticePosts, notificationSettings } from "#drizzle/schema/index.ts";
import { queuePosts } from "#server/core/mail/notifications/post-notices.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { profileConsole } from "./profile.ts";

type Overrides = Parameters<typeof anAdmin>[1];

async function aSignedIn(overrides: Overrides = { isOwner: true }, companyId?: string) {
  const company = companyId ?? (await aCompany()).id;
  const { id, email } = await anAdmin(company, overrides);
  const cookie = (await startSession(db(), id)).split(";")[0]!;
  const ask = (endpoint: AnyEndpoint, body?: object) =>
    call(endpoint, { cookie, ...(body && { body }) });
  const read = async () =>
    (await ask(profileConsole.getNotifications)).body as { company: Shown; server: Shown | null };
  return { companyId: company, email, ask, read };
}
type Shown = { kinds: { kind: string; email: boolean; url: boolean }[]; url: object | null };
const kinds = ({ kinds }: Shown) => kinds.map(({ kind }) => kind);
const stored = (email: string) =>
  db().select().from(notificationSettings).where(eq(notificationSettings.email, email));

test("by default, admins get what their privileges let them act on, by email", async () => {
  const owner = await (await aSignedIn()).read();
  expect(kinds(owner.company)).toEqual(["domain", "webhook", "on_hold", "quota", "group"]);
  expect(owner.company.kinds.every(({ email }) => email)).toBe(true);
  expect(owner).toMatchObject({ company: { url: null }, server: null });
  const developer = await (await aSignedIn({ privileges: ["api_controls"] })).read();
  expect(kinds(developer.company)).toEqual(["webhook"]);
  const operator = await (await aSignedIn({ isOperator: true })).read();
  expect(kinds(operator.server!)).toEqual(["certificate", "backup", "server", "summary"]);
});

test("an admin chooses kinds and sets a URL, whose secret part is never returned", async () => {
  const { email, companyId, ask, read } = await aSignedIn();
  const scope = "company";
  expect(
    (await ask(profileConsole.updateNotifications, { scope, emailOff: ["quota"] })).status,
  ).toBe(200);
  const url = "https://hooks.example.com/services/T0/very-secret";
  expect(
    (await ask(profileConsole.updateNotifications, { scope, url, urlFormat: "json" })).status,
  ).toBe(200);
  const shown = await read();
  expect(shown.company.kinds).toContainEqual({ kind: "quota", email: false, url: true });
  expect(shown.company.url).toEqual({
    host: "hooks.example.com",
    format: "json",
    waiting: 0,
    lastPostedAt: null,
    failingSince: null,
    lastError: null,
  });
  const [row] = await stored(email);
  expect(row!.sealedUrl).not.toContain("secret");
  expect(unseal("notification_url", row!.sealedUrl!)).toBe(url);
  const audit = await db().select().from(auditEntries).where(eq(auditEntries.companyId, companyId));
  expect(audit.map(({ action }) => action)).toContain("admin.notifications_changed");
  expect(JSON.stringify([shown, audit])).not.toContain("very-secret");

  await queuePosts(db(), {
    noticeId: row!.id,
    settingsIds: [row!.id],
    content: { kind: "quota", subject: "Full", paragraphs: [], url: null },
  });
  expect((await read()).company.url).toMatchObject({ waiting: 1 });
  await ask(profileConsole.updateNotifications, { scope, url: null });
  expect((await read()).company).toMatchObject({ url: null });
  expect(
    await db().$count(
      noticePosts,
      and(eq(noticePosts.settingsId, row!.id), isNull(noticePosts.postedAt)),
    ),
  ).toBe(0);
});

test.each([
  ["http://hooks.example.com/", "must be a URL that starts with https://"],
  ["https://10.0.0.1/", "is private or reserved"],
  ["https://intranet/", "has no dot"],
  ["https://ann:pw@example.com/", "must not contain a user name"],
])("refuses %s", async (url, reason) => {
  const { email, ask } = await aSignedIn();
  const { status, body } = await ask(profileConsole.updateNotifications, { scope: "company", url });
  expect(status).toBe(422);
  expect(body).toMatchObject({ message: expect.stringContaining(reason) as string });
  expect(body).toMatchObject({ fields: [{ path: "url" }] });
  expect(await stored(email)).toEqual([]);
});

test("settings are the admin's own, in this company, and alarms are for operators", async () => {
  const here = await aSignedIn();
  const colleague = await aSignedIn({ isOwner: true }, here.companyId);
  const elsewhere = await aSignedIn({ isOwner: true, email: here.email });
  await here.ask(profileConsole.updateNotifications, {
    scope: "company",
    emailOff: ["domain"],
    url: "https://hooks.example.com/a",
  });
  for (const other of [colleague, elsewhere]) {
    const { company } = await other.read();
    expect(company.kinds).toContainEqual({ kind: "domain", email: true, url: true });
    expect(company.url).toBeNull();
    expect(
      (await other.ask(profileConsole.sendTestNotification, { scope: "company" })).status,
    ).toBe(422);
  }
  for (const endpoint of [profileConsole.updateNotifications, profileConsole.sendTestNotification])
    expect((await here.ask(endpoint, { scope: "server" })).status).toBe(403);
  const operator = await aSignedIn({ isOperator: true });
  await operator.ask(profileConsole.updateNotifications, {
    scope: "server",
    emailOff: ["summary"],
  });
  const { server, company } = await operator.read();
  expect(server!.kinds).toContainEqual({ kind: "summary", email: false, url: true });
  expect(company.kinds.every(({ email }) => email)).toBe(true);
});

test("a test that fails says why", async () => {
  const { ask } = await aSignedIn();
  await ask(profileConsole.updateNotifications, {
    scope: "company",
    url: "https://unknown.invalid.example.com/",
  });
  const { status, body } = await ask(profileConsole.sendTestNotification, { scope: "company" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ error: expect.stringMatching(/\.$/) as string });
});
