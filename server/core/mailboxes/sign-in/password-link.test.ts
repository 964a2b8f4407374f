import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  admins,
  auditEntries,
  companies,
  emailBodies,
  emails,
  mailboxes,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { updateAdmin } from "#server/core/access/admins/admins.ts";
import { acceptInvitation } from "#server/core/access/invitations/accept-invitation.ts";
import { invite } from "#server/core/access/invitations/invitations.ts";
import { listRoles, updateRole } from "#server/core/access/roles/roles.ts";
import {
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import { endStep, startStep } from "#server/core/access/sign-in/steps.ts";
import { createMailbox, updateMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import {
  replaceMailboxPassword,
  resetSecondFactor,
} from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { createCompany } from "#server/core/operations/companies/create-company.ts";
import { setOperator } from "#server/core/operations/companies/operators.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";
import { aCompany, aContext, aDomain, anAdmin, anAlias } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { anOwner, aRole } from "#server/testing/team.ts";

import { authenticateMailbox, SignInError } from "./mailbox-sign-in.ts";
import {
  findPendingLink,
  readPasswordLink,
  resendPasswordLink,
  setPasswordByLink,
} from "./password-link.ts";

const DAY_MS = 86_400_000;
const PASSWORD = "seven green umbrellas";
const TO = "ann.private@example.net";
const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
const NOT_FOUND = { reason: "not_found" };

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let ctx: ReturnType<typeof aContext>;
let domain: Awaited<ReturnType<typeof aDomain>>;
let ann: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  ctx = aContext((await aCompany({ name: "Northwind" })).id);
  domain = await aDomain(ctx.companyId);
  ann = `ann@${domain.name}`;
});

let client = 0;
/** A new address for each call, so that no throttle applies. */
const clientAddress = () => `198.51.100.${(client += 1)}`;
const check = (token: string, from = clientAddress()) =>
  readPasswordLink(db(), { token, clientAddress: from });
const set = (token: string, password = PASSWORD) =>
  setPasswordByLink(db(), { token, password, clientAddress: clientAddress() });
const signIn = (password: string) =>
  authenticateMailbox(db(), {
    username: ann,
    password,
    clientAddress: clientAddress(),
    service: "account",
  });
const create = (to = TO, email = ann) =>
  createMailbox(ctx, OWNER, {
    email,
    name: "New Person",
    instructions: { to, sentBy: "admin@northwind.example" },
  });

async function jobs() {
  const rows = await db().execute<{ payload: JobPayload<"send_notice"> }>(sql`
    select payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${ctx.companyId}`);
  return rows.map(({ payload }) => payload);
}

async function mail() {
  for (const job of await jobs()) await sendNotice(db(), job);
  const rows = await db()
    .select()
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .where(sql`${emails.subject} like ${`%${ann}`}`);
  return rows.map((row) => ({ ...row.emails, ...row.email_bodies }));
}

const tokenIn = (text: string) => /#([\w-]{43})/.exec(text)![1]!;

/** Creates the mailbox with instructions and returns the token in the mail. */
async function aLink() {
  await create();
  return tokenIn((await mail())[0]!.text!);
}

test("the mail contains a link and no password, and the link sets one, once", async () => {
  const { temporaryPassword } = await create(` ${TO.toUpperCase()} `);
  const [sent, ...more] = await mail();
  expect(more).toEqual([]);
  expect(sent).toMatchObject({ to: [TO], replyTo: ["admin@northwind.example"] });
  expect(`${sent!.text}${sent!.html}`).not.toContain(temporaryPassword);
  expect(sent!.text).toContain("/account/set-password#");
  const token = tokenIn(sent!.text!);

  const stored = await db().select().from(signInSteps).where(eq(signInSteps.mailbox, ann));
  expect((Date.parse(stored[0]!.expiresAt) - Date.now()) / DAY_MS).toBeCloseTo(7, 1);
  expect(JSON.stringify([stored, await jobs()])).not.toContain(token);

  expect(await check(token)).toEqual({ address: ann, passwordLengthMin: 12 });
  await expect(set(token, "short")).rejects.toMatchObject({
    reason: "invalid",
    fields: [{ path: "password" }],
  });
  expect(await set(token)).toBe(ann);
  expect(await signIn(PASSWORD)).toMatchObject({ address: ann, forcePasswordChange: false });
  await expect(set(token, "another good secret")).rejects.toMatchObject(NOT_FOUND);
  await expect(check(token)).rejects.toMatchObject(NOT_FOUND);

  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId))
    .orderBy(auditEntries.createdAt, auditEntries.id);
  expect(entries.map(({ action, details }) => [action, details])).toMatchObject([
    ["mailbox.created", {}],
    ["mailbox.link_sent", { mailbox: ann, to: TO }],
    ["mailbox.password_changed", { mailbox: ann, by: "link" }],
  ]);
  expect(JSON.stringify(entries)).not.toContain(token);
});

test("concurrent uses set one password", async () => {
  const token = await aLink();
  const uses = await Promise.allSettled([set(token), set(token, "quite another secret")]);
  expect(uses.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(uses.find(({ status }) => status === "rejected")).toMatchObject({ reason: NOT_FOUND });
});

const change = (asked: Parameters<typeof updateMailbox>[3]) =>
  updateMailbox(ctx, OWNER, ann, asked);
const expire = () =>
  db()
    .update(signInSteps)
    .set({ expiresAt: sql`clock_timestamp() - interval '1 second'` })
    .where(eq(signInSteps.mailbox, ann));
const nothing = () => Promise.resolve();

test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  ["the mailbox is suspended", () => change({ active: false }), () => change({ active: true })],
  ["its password is reset", () => replaceMailboxPassword(ctx, OWNER, ann), nothing],
  ["the mailbox is deleted", () => deleteMailbox(ctx, ann), nothing],
  ["it expires", expire, nothing],
])("the link no longer works once %s", async (_, cancel, restore) => {
  const token = await aLink();
  await cancel();
  await expect(set(token)).rejects.toMatchObject(NOT_FOUND);
  await restore();
  await expect(set(token)).rejects.toMatchObject(NOT_FOUND);
  await expect(check(token)).rejects.toMatchObject(NOT_FOUND);
});

const resend = (to: string) =>
  resendPasswordLink(ctx, OWNER, ann, { to, sentBy: "admin@northwind.example" });

test("a new link to a corrected address ends the earlier one, also before it was mailed", async () => {
  const earlier = await aLink();
  expect(await findPendingLink(ctx, ann)).toMatchObject({ sentTo: TO });
  await resend("an.private@example.net");
  expect(await resend(" Ann@Example.net ")).toBe("ann@example.net");

  const tokens = new Map((await mail()).map(({ to, text }) => [to[0]!, tokenIn(text!)]));
  expect([...tokens.keys()].toSorted()).toEqual([TO, "ann@example.net"]);
  await expect(check(earlier)).rejects.toMatchObject(NOT_FOUND);
  const pending = await findPendingLink(ctx, ann);
  expect(pending?.sentTo).toBe("ann@example.net");
  expect((Date.parse(pending!.expiresAt) - Date.now()) / DAY_MS).toBeCloseTo(7, 1);

  expect(await set(tokens.get("ann@example.net")!)).toBe(ann);
  expect(await findPendingLink(ctx, ann)).toBeNull();
});

test("second-factor steps don't count as password links, and end when the factor is removed", async () => {
  const token = await aLink();
  const pending = await findPendingLink(ctx, ann);
  const step = { kind: "second_factor", account: mailboxAccount(ann), secret: null } as const;
  await startStep(db(), { token: "step", ...step, minutes: 60 * 24 * 30 });
  expect(await findPendingLink(ctx, ann)).toEqual(pending);

  await db().update(mailboxes).set({ totpSecret: "sealed" }).where(eq(mailboxes.address, ann));
  await resetSecondFactor(ctx, OWNER, ann);
  expect(await endStep(db(), "step", "second_factor")).toBe(false);
  expect(await check(token)).toMatchObject({ address: ann });
});

test("no link is sent to the mailbox itself, while it is suspended, or once a password was set", async () => {
  const token = await aLink();
  await expect(resend(ann)).rejects.toMatchObject({ reason: "invalid" });
  const alias = await anAlias(domain, ann);
  await expect(resend(alias)).rejects.toMatchObject({ reason: "invalid" });
  await expect(resend("nobody")).rejects.toMatchObject({ reason: "invalid" });
  expect(await check(token)).toMatchObject({ address: ann });
  await change({ active: false });
  await expect(resend(TO)).rejects.toMatchObject({ reason: "not_allowed" });
  await change({ active: true });
  await resend(TO);
  await set(tokenIn((await mail()).at(-1)!.text!));
  await expect(resend(TO)).rejects.toMatchObject({ reason: "not_allowed" });
  await replaceMailboxPassword(ctx, OWNER, ann);
  expect(await resend(TO)).toBe(TO);
});

const isPasswordEnd = () =>
  and(eq(auditEntries.companyId, ctx.companyId), eq(auditEntries.action, "mailbox.password_ended"));

const PROMOTIONS: [string, () => Promise<unknown>][] = [
  [
    "joins another company",
    () => createCompany(db(), { name: "Contoso", owner: { email: ann, password: null } }),
  ],
  ["becomes an operator", () => setOperator(ctx, { email: ann, isOperator: true })],
  [
    "is promoted",
    async () => {
      const of = and(eq(admins.companyId, ctx.companyId), eq(admins.email, ann));
      const [admin] = await db().select().from(admins).where(of);
      await updateAdmin(ctx, admin!.id, { isOwner: true });
    },
  ],
  [
    "gets more privileges through a role",
    async () => {
      const [role] = await listRoles(ctx);
      const written = { ...role!, privileges: [...role!.privileges, "view_groups"] };
      await updateRole((await anOwner(ctx.companyId)).ctx, role!.id, { written, expected: role! });
    },
  ],
];

async function makeAdmin() {
  const holders = [await anAdmin(ctx.companyId, { email: ann })];
  await aRole(ctx.companyId, { holders });
}

test.each(PROMOTIONS)("a link ends when the mailbox user %s", async (_, promote) => {
  const token = await aLink();
  await makeAdmin();
  await check(token);
  await promote();
  await expect(set(token)).rejects.toMatchObject(NOT_FOUND);
});

test.each(PROMOTIONS)("a temporary password ends when the mailbox user %s", async (_, promote) => {
  await create();
  await makeAdmin();
  const { temporaryPassword } = await replaceMailboxPassword(ctx, OWNER, ann);
  const from = { clientAddress: clientAddress(), userAgent: null };
  const cookie = (await startAccountSession(db(), ann, from)).split(";")[0]!;
  expect(await signIn(temporaryPassword)).toMatchObject({ forcePasswordChange: true });
  expect(await findAccountUser(db(), cookie)).toMatchObject({ address: ann });
  await promote();
  await expect(signIn(temporaryPassword)).rejects.toThrow(SignInError);
  expect(await findAccountUser(db(), cookie)).toBeNull();
  const { companyId } = ctx;
  expect(await db().select().from(auditEntries).where(isPasswordEnd())).toMatchObject([
    { companyId, actor: "system", details: { mailbox: ann } },
  ]);
});

test("a promotion ends no password that the mailbox user chose, and no session", async () => {
  await set(await aLink());
  await makeAdmin();
  const from = { clientAddress: clientAddress(), userAgent: null };
  const cookie = (await startAccountSession(db(), ann, from)).split(";")[0]!;
  for (const [, promote] of PROMOTIONS.slice(1)) await promote();
  expect(await signIn(PASSWORD)).toMatchObject({ address: ann });
  expect(await findAccountUser(db(), cookie)).toMatchObject({ address: ann });
  expect(await db().$count(auditEntries, isPasswordEnd())).toBe(0);
});

test("a role that only loses privileges ends no temporary password", async () => {
  await create();
  const holders = [await anAdmin(ctx.companyId, { email: ann })];
  const role = await aRole(ctx.companyId, { privileges: ["view_users", "view_groups"], holders });
  const { temporaryPassword } = await replaceMailboxPassword(ctx, OWNER, ann);
  const written = { ...role, privileges: ["view_users"] };
  await updateRole((await anOwner(ctx.companyId)).ctx, role.id, { written, expected: role });
  expect(await signIn(temporaryPassword)).toMatchObject({ address: ann });
});

test("a link ends when the mailbox user accepts an invitation to an alias", async () => {
  const token = await aLink();
  const email = await anAlias(domain, ann);
  const asked = { email, name: "", isOwner: false, roleIds: [] };
  const { token: invitation } = await invite((await anOwner(ctx.companyId)).ctx, asked);
  const origin = { clientAddress: clientAddress(), userAgent: null };
  await acceptInvitation(db(), { token: invitation, by: { name: "", password: PASSWORD }, origin });
  await expect(set(token)).rejects.toMatchObject(NOT_FOUND);
});

test("a link that is used while a new one is sent: one of them wins", async () => {
  const token = await aLink();
  const both = await Promise.allSettled([set(token), resend(TO)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("the link rests while the company is suspended", async () => {
  const token = await aLink();
  const suspend = (suspendedAt: string | null) =>
    db().update(companies).set({ suspendedAt }).where(eq(companies.id, ctx.companyId));
  await suspend(new Date().toISOString());
  await expect(set(token)).rejects.toMatchObject(NOT_FOUND);
  await suspend(null);
  expect(await set(token)).toBe(ann);
});

test("nothing is mailed once the mailbox was deleted", async () => {
  await create();
  await deleteMailbox(ctx, ann);
  expect(await mail()).toEqual([]);
});

test("wrong tokens are throttled by source", async () => {
  const token = await aLink();
  const guesses = [];
  for (let i = 0; i < 11; i++)
    guesses.push(...(await Promise.allSettled([check(`wrong ${i}`, "203.0.113.77")])));
  expect(guesses).toMatchObject([
    ...Array<object>(10).fill({ reason: NOT_FOUND }),
    { reason: { reason: "rate_limit_exceeded" } },
  ]);
  await expect(check(token, "203.0.113.77")).rejects.toMatchObject({
    reason: "rate_limit_exceeded",
  });
  expect(await check(token)).toMatchObject({ address: ann });
});

test("a company sends at most a hundred an hour, and creates nothing over it", async () => {
  const { companyId } = ctx;
  const entry = { companyId, actor: "x", action: "mailbox.link_sent", details: {} };
  await db()
    .insert(auditEntries)
    .values(Array.from({ length: 99 }, () => entry));
  const both = await Promise.allSettled([create(), create(TO, `ben${ann}`)]);
  expect(both.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { reason: "rate_limit_exceeded" },
  });
  expect(await db().$count(mailboxes, eq(mailboxes.companyId, companyId))).toBe(1);
});
