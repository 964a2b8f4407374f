import { hash } from "@node-rs/argon2";
import { and, eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import {
  adminRoles,
  admins,
  auditEntries,
  emailBodies,
  emails,
  invitations,
  people,
  roles,
} from "#drizzle/schema/index.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { findSignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { distinctGuesses } from "#server/testing/distinct-guesses.ts";
import { aManager, anOwner, aRole } from "#server/testing/team.ts";

import { acceptInvitation } from "./accept-invitation.ts";
import {
  findInvitation,
  invite,
  listInvitations,
  resendInvitation,
  updateInvitation,
  withdrawInvitation,
} from "./invitations.ts";

const PASSWORD = "correct horse battery";
const ORIGIN = { clientAddress: "192.0.2.1", userAgent: "Test" };
const passwordHash = hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });

let sequence = 0;
let email: string;
beforeEach(() => {
  email = `new-${(sequence += 1)}@example.com`;
});

const asked = (more: Partial<Parameters<typeof invite>[1]> = {}) => ({
  email,
  name: "",
  isOwner: false,
  roleIds: [] as string[],
  ...more,
});
const accept = (token: string, password = PASSWORD, name = "Nia") =>
  acceptInvitation(db(), { token, by: { name, password }, origin: ORIGIN });
const adminIn = async (companyId: string) =>
  (
    await db()
      .select()
      .from(admins)
      .where(and(eq(admins.companyId, companyId), eq(admins.email, email)))
  )[0];
const cookieOf = (setCookie: string) => setCookie.split(";")[0]!;

async function signedInAs(adminId: string) {
  const cookie = cookieOf(await startSession(db(), adminId));
  return { cookie, signedIn: (await findSignedIn(db(), cookie))! };
}

test("signs in a new admin with their name, password and roles, and invalidates the link", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const role = await aRole(companyId);
  const { token } = await invite(
    owner.ctx,
    asked({ email: ` ${email.toUpperCase()} `, roleIds: [role.id] }),
  );
  expect(await listInvitations(owner.ctx)).toMatchObject([
    { email, roles: [{ name: "Helpdesk" }], invitedBy: owner.email, isExpired: false },
  ]);
  const cookie = cookieOf(await accept(token));
  const admin = (await adminIn(companyId))!;
  expect(admin).toMatchObject({ name: "Nia", isOwner: false, disabledAt: null });
  expect(await db().$count(adminRoles, eq(adminRoles.adminId, admin.id))).toBe(1);
  expect(await findSignedIn(db(), cookie)).toMatchObject({ id: admin.id, companyId });
  await expect(accept(token)).rejects.toMatchObject({ reason: "not_found" });
  const [entry] = await db()
    .select()
    .from(auditEntries)
    .where(
      and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "invitation.accepted")),
    );
  expect(entry).toMatchObject({
    actor: email,
    actorKind: "admin",
    details: { email, invitedBy: owner.email, roles: ["Helpdesk"] },
  });
});

test("lets one of many concurrent requests with one link join", async () => {
  const { id: companyId } = await aCompany();
  const { token } = await invite((await anOwner(companyId)).ctx, asked());
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => accept(token)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await db().$count(admins, eq(admins.companyId, companyId))).toBe(2);
});

test("requires the existing password of an admin of another company", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin((await aCompany()).id, { email, passwordHash: await passwordHash });
  const { token } = await invite((await anOwner(companyId)).ctx, asked());
  await expect(accept(token, "another horse battery")).rejects.toMatchObject({
    reason: "wrong_credentials",
  });
  await accept(token);
  const [person] = await db().select().from(people).where(eq(people.email, email));
  expect(person!.passwordHash).toBe(await passwordHash);
  expect(await adminIn(companyId)).toBeDefined();
});

test("rejects a password alone if the admin has a second factor or no password", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  await anAdmin((await aCompany()).id, { email, passwordHash: await passwordHash });
  await db().update(people).set({ totpSecret: "sealed" }).where(eq(people.email, email));
  const { token } = await invite(ctx, asked());
  await expect(accept(token)).rejects.toThrow(/second factor/);
  await db()
    .update(people)
    .set({ totpSecret: null, passwordHash: null })
    .where(eq(people.email, email));
  await expect(accept(token)).rejects.toMatchObject({ reason: "wrong_credentials" });
  const [person] = await db().select().from(people).where(eq(people.email, email));
  expect(person!.passwordHash).toBeNull();
  expect(await adminIn(companyId)).toBeUndefined();
});

test("joins with the current session, if it belongs to the invitee", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const here = await anAdmin((await aCompany()).id, { email, name: "Ben" });
  const { token } = await invite(ctx, asked());
  const stranger = await signedInAs((await anAdmin(companyId)).id);
  const by = ({ signedIn }: typeof stranger) =>
    acceptInvitation(db(), { token, by: { signedIn }, origin: ORIGIN });
  await expect(by(stranger)).rejects.toThrow(/is for .* but you're signed in as/);
  const own = await signedInAs(here.id);
  const cookie = cookieOf(await by(own));
  expect(await findSignedIn(db(), cookie)).toMatchObject({ companyId, name: "Ben" });
  expect(await findSignedIn(db(), own.cookie)).toBeNull();
});

test("rejects a weak password whether or not the address belongs to an admin", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const { token } = await invite(ctx, asked());
  await expect(accept(token, "short")).rejects.toThrow(/^password: must have at least/);
  await anAdmin((await aCompany()).id, { email, passwordHash: await passwordHash });
  await expect(accept(token, "short")).rejects.toThrow(/^password: must have at least/);
});

test("counts wrong passwords toward the sign-in limits", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin((await aCompany()).id, { email, passwordHash: await passwordHash });
  const { token } = await invite((await anOwner(companyId)).ctx, asked());
  for (const guess of distinctGuesses(email, 10, PASSWORD))
    await expect(accept(token, guess)).rejects.toMatchObject({
      reason: "wrong_credentials",
    });
  await expect(accept(token)).rejects.toMatchObject({ reason: "rate_limit_exceeded" });
});

test("rejects a link that expired or was withdrawn or replaced", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const first = await invite(ctx, asked());
  const { token } = await resendInvitation(ctx, first.id);
  await expect(accept(first.token)).rejects.toMatchObject({ reason: "not_found" });
  await db()
    .update(invitations)
    .set({ expiresAt: sql`clock_timestamp()` })
    .where(eq(invitations.id, first.id));
  await expect(accept(token)).rejects.toThrow(/This invitation has expired\. Ask/);
  // An expired invitation can be replaced or resent.
  const again = await resendInvitation(ctx, first.id);
  await withdrawInvitation(ctx, first.id);
  await expect(accept(again.token)).rejects.toMatchObject({ reason: "not_found" });
  expect(await listInvitations(ctx)).toEqual([]);
  expect(await adminIn(companyId)).toBeUndefined();
});

test("allows one pending invitation per address, and none for admins of the team", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const taken = { reason: "already_exists" };
  await expect(invite(owner.ctx, asked({ email: owner.email }))).rejects.toMatchObject(taken);
  const results = await Promise.allSettled([
    invite(owner.ctx, asked()),
    invite(owner.ctx, asked({ email: email.toUpperCase() })),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await db()
    .update(invitations)
    .set({ expiresAt: sql`clock_timestamp()` })
    .where(eq(invitations.email, email));
  await invite(owner.ctx, asked());
});

test("rejects inviting with privileges the inviter can't grant", async () => {
  const { id: companyId } = await aCompany();
  const manager = await aManager(companyId, ["view_users"]);
  const role = await aRole(companyId, { privileges: ["domains"] });
  await expect(invite(manager.ctx, asked({ roleIds: [role.id] }))).rejects.toMatchObject({
    reason: "not_allowed",
  });
  await expect(invite(manager.ctx, asked({ isOwner: true }))).rejects.toMatchObject({
    reason: "invalid_permission",
  });
  const foreign = await aRole((await aCompany()).id, { privileges: ["view_users"] });
  await expect(invite(manager.ctx, asked({ roleIds: [foreign.id] }))).rejects.toMatchObject({
    reason: "invalid",
  });
});

test("checks the inviter's privileges again on acceptance", async () => {
  const { id: companyId } = await aCompany();
  const manager = await aManager(companyId, ["view_users"]);
  const role = await aRole(companyId, { privileges: ["view_users"] });
  const { token } = await invite(manager.ctx, asked({ roleIds: [role.id] }));
  const hold = (privileges: string[]) =>
    db().update(admins).set({ privileges }).where(eq(admins.id, manager.id));
  for (const privileges of [["view_users"], ["manage_admins"]]) {
    await hold(privileges);
    await expect(accept(token)).rejects.toThrow(/can no longer grant you this access/);
  }
  await hold(["manage_admins", "view_users"]);
  await accept(token);
});

test("rejects an owner's invitation from a former owner", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const { token } = await invite(owner.ctx, asked({ isOwner: true }));
  const demoted = { isOwner: false, privileges: ["manage_admins"] };
  await db().update(admins).set(demoted).where(eq(admins.id, owner.id));
  await expect(accept(token)).rejects.toThrow(/can no longer grant you this access/);
  await db().update(admins).set({ isOwner: true }).where(eq(admins.id, owner.id));
  await accept(token);
  expect(await adminIn(companyId)).toMatchObject({ isOwner: true });
});

test("omits a role that was deleted meanwhile", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const [kept, gone] = [await aRole(companyId), await aRole(companyId, { name: "Gone" })];
  const { token } = await invite(ctx, asked({ roleIds: [kept.id, gone.id] }));
  await db().delete(roles).where(eq(roles.id, gone.id));
  expect((await findInvitation(db(), token))!.roles).toEqual(["Helpdesk"]);
  await accept(token);
  const { id } = (await adminIn(companyId))!;
  expect(await db().$count(adminRoles, eq(adminRoles.adminId, id))).toBe(1);
});

test("emails the link once, and not after it was replaced", async () => {
  const { id: companyId } = await aCompany({ name: "Northwind" });
  const owner = await anOwner(companyId);
  const first = await invite(owner.ctx, asked());
  const [job] = await jobsOf(companyId);
  await sendNotice(db(), job!);
  await sendNotice(db(), job!);
  const sent = () =>
    db()
      .select({ subject: emails.subject, text: emailBodies.text })
      .from(emails)
      .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id))
      .where(sql`${emails.to} @> array[${email}]::text[]`);
  expect(await sent()).toHaveLength(1);
  const [mail] = await sent();
  expect(mail!.subject).toBe("Join Northwind on Posthouse");
  expect(mail!.text).toContain(`/console/invitation#${await mailedToken(companyId)}`);
  expect(mail!.text).not.toContain(first.token);
  expect(mail!.text).toContain(owner.email);

  await resendInvitation(owner.ctx, first.id);
  const [, second] = await jobsOf(companyId);
  await withdrawInvitation(owner.ctx, first.id);
  await sendNotice(db(), second!);
  expect(await sent()).toHaveLength(1);
});

test("stores tokens as hashes and seals the emailed one", async () => {
  const { id: companyId } = await aCompany();
  const { token } = await invite((await anOwner(companyId)).ctx, asked());
  const [row] = await db().select().from(invitations).where(eq(invitations.email, email));
  for (const each of [token, await mailedToken(companyId)]) {
    expect(JSON.stringify(row)).not.toContain(each);
    expect(JSON.stringify(await jobsOf(companyId))).not.toContain(each);
  }
});

test("confirms the address with the emailed link, but not with the copied one", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const squatted = email;
  const copied = await invite(ctx, asked());
  const left = await mailedToken(companyId);
  await accept(copied.token);
  expect(await provenAt(squatted)).toBeNull();
  await expect(accept(left)).rejects.toMatchObject({ reason: "not_found" });

  email = `mailed-${email}`;
  const mailed = await invite(ctx, asked());
  await accept(await mailedToken(companyId));
  expect(await provenAt(email)).not.toBeNull();
  await expect(accept(mailed.token)).rejects.toMatchObject({ reason: "not_found" });
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(
      and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "invitation.accepted")),
    )
    .orderBy(auditEntries.createdAt);
  expect(entries.map(({ details }) => details)).toMatchObject([
    { email: squatted, addressConfirmed: false },
    { email, addressConfirmed: true },
  ]);
});

test("a later emailed link confirms the address permanently", async () => {
  const first = (await aCompany()).id;
  const { token } = await invite((await anOwner(first)).ctx, asked());
  await accept(token);
  const second = (await aCompany()).id;
  await invite((await anOwner(second)).ctx, asked());
  await accept(await mailedToken(second));
  const shown = await provenAt(email);
  expect(shown).not.toBeNull();
  const third = (await aCompany()).id;
  await accept((await invite((await anOwner(third)).ctx, asked())).token);
  const fourth = (await aCompany()).id;
  await invite((await anOwner(fourth)).ctx, asked());
  await accept(await mailedToken(fourth));
  expect(await provenAt(email)).toBe(shown);
});

test("a copied link doesn't make an admin with an unconfirmed address an owner", async () => {
  await accept((await invite((await anOwner((await aCompany()).id)).ctx, asked())).token);
  const second = (await aCompany()).id;
  const { ctx } = await anOwner(second);
  const { token } = await invite(ctx, asked({ isOwner: true }));
  const mailed = await mailedToken(second);
  await expect(accept(token)).rejects.toMatchObject({ reason: "not_allowed" });
  expect(await adminIn(second)).toBeUndefined();
  await accept(mailed);
  expect(await adminIn(second)).toMatchObject({ isOwner: true });
});

test("replaces both links on resending", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const before = await invite(ctx, asked());
  const mailedBefore = await mailedToken(companyId);
  const { token } = await resendInvitation(ctx, before.id);
  for (const old of [before.token, mailedBefore])
    expect(await findInvitation(db(), old)).toBeNull();
  expect(await findInvitation(db(), token)).toMatchObject({ isMailed: false });
  expect(await findInvitation(db(), await mailedToken(companyId))).toMatchObject({
    isMailed: true,
  });
});

const provenAt = async (email: string) =>
  (await db().select().from(people).where(eq(people.email, email)))[0]!.emailProvenAt;

/** The token in the company's last invitation email. */
async function mailedToken(companyId: string): Promise<string> {
  const notice = (await jobsOf(companyId)).at(-1)!.notice as { sealedToken: string };
  return unseal("invitation", notice.sealedToken);
}

async function jobsOf(companyId: string) {
  const rows = await db().execute<{ payload: JobPayload<"send_notice"> }>(sql`
    select payload from graphile_worker._private_jobs
    where payload ->> 'companyId' = ${companyId} order by id`);
  return rows.map(({ payload }) => payload);
}

test("a pending invitation grants what it was edited to grant, and its link stays the same", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const [first, second] = [await aRole(companyId), await aRole(companyId, { name: "Auditor" })];
  const { id, token } = await invite(owner.ctx, asked({ roleIds: [first.id] }));
  await updateInvitation(owner.ctx, id, { isOwner: true, roleIds: [first.id] });
  expect(await listInvitations(owner.ctx)).toMatchObject([{ isOwner: true, roles: [] }]);
  await updateInvitation(owner.ctx, id, { isOwner: false, roleIds: [second.id] });
  expect(await listInvitations(owner.ctx)).toMatchObject([
    { isOwner: false, roles: [{ id: second.id, name: "Auditor" }] },
  ]);
  await accept(token);
  const [given] = await db()
    .select()
    .from(adminRoles)
    .where(eq(adminRoles.adminId, (await adminIn(companyId))!.id));
  expect(given!.roleId).toBe(second.id);
});

test("an inviter can't use the link that they copied once someone else has changed the invitation", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const manager = await aManager(companyId);
  const { id, token } = await invite(manager.ctx, asked());
  const mailed = await mailedToken(companyId);
  await updateInvitation(owner.ctx, id, { isOwner: true, roleIds: [] });
  await expect(accept(token)).rejects.toMatchObject({ reason: "not_found" });
  expect(await listInvitations(owner.ctx)).toMatchObject([{ invitedBy: owner.email }]);
  await accept(mailed);
  expect(await adminIn(companyId)).toMatchObject({ isOwner: true });
});

test("admins can't change an invitation beyond their own privileges, or one of another company", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const manager = await aManager(companyId);
  const stranger = await anOwner((await aCompany()).id);
  const role = await aRole(companyId, { privileges: ["domains"] });
  const { id } = await invite(owner.ctx, asked({ isOwner: true }));
  const none = { isOwner: false, roleIds: [] };
  const change = (ctx: typeof owner.ctx, grant = none) => updateInvitation(ctx, id, grant);
  await expect(change(manager.ctx)).rejects.toMatchObject({ reason: "invalid_permission" });
  await expect(change(stranger.ctx)).rejects.toMatchObject({ reason: "not_found" });
  await change(owner.ctx);
  await expect(change(manager.ctx, { ...none, isOwner: true })).rejects.toMatchObject({
    reason: "invalid_permission",
  });
  await expect(
    updateInvitation(manager.ctx, id, { isOwner: false, roleIds: [role.id] }),
  ).rejects.toMatchObject({ reason: "not_allowed" });
  expect(await listInvitations(owner.ctx)).toMatchObject([{ isOwner: false, roles: [] }]);
});
