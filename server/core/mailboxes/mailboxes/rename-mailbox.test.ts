import { once } from "node:events";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import {
  addresses,
  auditEntries,
  deletedItems,
  groupMembers,
  mailboxes,
  mailboxSessions,
  mailboxUsage,
  quarantine,
} from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { changeMembers } from "#server/core/mailboxes/groups/group-members.ts";
import { deleteGroup, readShownGroup } from "#server/core/mailboxes/groups/groups.ts";
import { getRules, saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { listShares, setShare } from "#server/core/mailboxes/shares/shares.ts";
import { restoreDeleted } from "#server/core/operations/deleted-items/deleted-items.ts";
import { db } from "#server/db/pool.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aContext, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { addAlias, listAliases, removeAlias } from "./aliases.ts";
import { deleteMailbox } from "./mailbox-removal.ts";
import { renameMailbox } from "./rename-mailbox.ts";
import { resolveRecipients } from "./recipients.ts";

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

let dovecot: TestDovecot;
let ctx: ReturnType<typeof aContext>;
let domain: Awaited<ReturnType<typeof aDomain>>;
let [ann, ben] = ["", ""];
const at = (name: string) => `${name}@${domain.name}`;
const rename = (from: string, to: string) => renameMailbox(ctx, OWNER, from, to);
const aliasesOf = async (mailbox: string) =>
  (await listAliases(ctx, OWNER, mailbox)).map(({ address }) => address);

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  ctx = aContext(domain.companyId);
  ann = (await aMailbox(domain, { address: at("ann") })).address;
  ben = (await aMailbox(domain, { address: at("ben") })).address;
});

/** The messages in a folder, as a mail app that signs in with `user` sees it. */
async function countMessages(user: string, folder = "INBOX", password?: string) {
  const app = await signIn(dovecot.imap, user, password === undefined ? {} : { password });
  try {
    return (await app.mailboxOpen(folder)).exists;
  } finally {
    app.close();
  }
}

test("keeps mail, rules, shares, memberships, app passwords and sessions, and disconnects mail apps", async () => {
  await deliver(dovecot.lmtpSocket, ann);
  const group = await aGroup(domain, { address: at("team") });
  await changeMembers(ctx, group.address, { add: [ann] });
  await setShare(ctx, OWNER, ann, { member: ben, access: "write", sendAs: true });
  const shared = (await aMailbox(domain, { address: at("shared") })).address;
  await setShare(ctx, OWNER, shared, { member: ann, access: "read", sendAs: false });
  await saveRules(ctx, ann, { forwardTo: ["ann@example.net"] });
  const { secret } = await createAppPassword(ctx, ann, "Phone");
  const cookie = await startAccountSession(db(), ann, {
    clientAddress: "192.0.2.1",
    userAgent: null,
  });
  const [before] = await db().select().from(mailboxes).where(eq(mailboxes.address, ann));
  const open = await signIn(dovecot.imap, ann);
  const closed = once(open, "close");

  const to = at("ann.marsh");
  expect(await rename(ann, ` ${to.toUpperCase()} `)).toBe(to);

  await closed;
  const [after] = await db().select().from(mailboxes).where(eq(mailboxes.store, before!.store));
  expect(after).toMatchObject({ ...before, address: to });
  expect(await aliasesOf(to)).toEqual([ann]);
  expect(await getRules(ctx, to)).toMatchObject({ forwardTo: ["ann@example.net"] });
  expect(await findAccountUser(db(), cookie.split(";")[0]!)).toMatchObject({ address: to });
  const members = await db()
    .select()
    .from(groupMembers)
    .where(eq(groupMembers.groupAddress, group.address));
  expect(members.map(({ member }) => member)).toEqual([to]);
  expect(await countMessages(to)).toBe(1);
  // A mail app that still has the old username.
  expect(await countMessages(ann, "INBOX", secret)).toBe(1);
  // A delivery that began before the rename.
  await deliver(dovecot.lmtpSocket, ann);
  expect(await countMessages(ben, `Shared mailboxes/${to}/INBOX`)).toBe(2);
  expect(await countMessages(to, `Shared mailboxes/${shared}/INBOX`)).toBe(0);
  const usage = () => db().select().from(mailboxUsage).where(eq(mailboxUsage.address, to));
  await vi.waitFor(async () => expect(await usage()).toMatchObject([{ messages: 2 }]));
  const recipients = await resolveRecipients(db(), [ann, to]);
  expect([...recipients.values()].map((found) => "mailbox" in found && found.mailbox)).toEqual([
    to,
    to,
  ]);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.action, "mailbox.renamed"));
  expect(entries.filter(({ companyId }) => companyId === ctx.companyId)).toMatchObject([
    { details: { mailbox: to, from: ann, to } },
  ]);
});

test("renames twice, back to an alias, and to another domain", async () => {
  const other = await aDomain(domain.companyId);
  const far = `ann@${other.name}`;
  await rename(ann, at("marsh"));
  await rename(at("marsh"), far);
  expect(await aliasesOf(far)).toEqual([ann, at("marsh")].toSorted());
  await rename(far, ann);
  expect(await aliasesOf(ann)).toEqual([far, at("marsh")].toSorted());
  const kinds = await db().select().from(addresses).where(eq(addresses.companyId, ctx.companyId));
  expect(kinds.filter(({ kind }) => kind === "mailbox").map(({ address }) => address)).toEqual(
    expect.arrayContaining([ann, ben]),
  );
  expect(kinds).toHaveLength(4);
  expect(await rename(ann, ann)).toBe(ann);
});

test("of two renames at the same time, one wins, whether from one mailbox or to one address", async () => {
  const both = await Promise.allSettled([rename(ann, at("x")), rename(ann, at("y"))]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(both.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { reason: "not_found" },
  });
  const now = both[0].status === "fulfilled" ? at("x") : at("y");
  const one = await Promise.allSettled([rename(now, at("z")), rename(ben, at("z"))]);
  expect(one.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { reason: "already_exists" },
  });
});

test("a later mailbox with the old address has none of the mail, rights or records", async () => {
  await deliver(dovecot.lmtpSocket, ann);
  await setShare(ctx, OWNER, ann, { member: ben, access: "write", sendAs: false });
  const to = at("marsh");
  await rename(ann, to);
  await removeAlias(ctx, OWNER, to, ann);
  const next = await aMailbox(domain, { address: ann });
  await setShare(ctx, OWNER, next.address, { member: to, access: "read", sendAs: false });
  expect(await countMessages(ann)).toBe(0);
  expect(await countMessages(ben, `Shared mailboxes/${to}/INBOX`)).toBe(1);
  await expect(countMessages(ben, `Shared mailboxes/${ann}/INBOX`)).rejects.toThrow();
});

test("items deleted before are restored for the new address", async () => {
  const shared = (await aMailbox(domain, { address: at("shared") })).address;
  await addAlias(ctx, OWNER, ann, at("a"));
  await setShare(ctx, OWNER, ann, { member: ben, access: "read", sendAs: false });
  await setShare(ctx, OWNER, shared, { member: ann, access: "write", sendAs: false });
  const { address: group } = await aGroup(domain, { members: [ann, ben] });
  await removeAlias(ctx, OWNER, ann, at("a"));
  for (const mailbox of [ben, shared]) await deleteMailbox(ctx, mailbox);
  await deleteGroup(ctx, group);
  const to = at("marsh");
  await rename(ann, to);
  await removeAlias(ctx, OWNER, to, ann);
  await db().delete(deletedItems).where(eq(deletedItems.name, ann));
  await aMailbox(domain, { address: ann });

  const deleted = await db()
    .select({ id: deletedItems.id })
    .from(deletedItems)
    .where(eq(deletedItems.companyId, ctx.companyId));
  expect(deleted).toHaveLength(4);
  for (const { id } of deleted) await restoreDeleted(ctx, id);
  expect(await aliasesOf(to)).toEqual([at("a")]);
  const membersOf = async (mailbox: string) =>
    (await listShares(ctx, OWNER, mailbox)).map(({ member }) => member);
  expect(await membersOf(to)).toEqual([ben]);
  expect(await membersOf(shared)).toEqual([to]);
  expect((await readShownGroup(ctx, group)).members.toSorted()).toEqual([ben, to].toSorted());
});

test("keeps the mail in quarantine, without what an earlier mailbox with the new address had there", async () => {
  const to = at("marsh");
  const { companyId } = ctx;
  const hold = (...recipients: string[]) =>
    db().insert(quarantine).values({ companyId, reason: "spam", sender: "", recipients, size: 1 });
  await hold(to);
  await hold(to, ben);
  await hold(ann);
  await hold(ann, ben);
  await rename(ann, to);
  const kept = await db()
    .select({ recipients: quarantine.recipients })
    .from(quarantine)
    .where(eq(quarantine.companyId, companyId))
    .orderBy(quarantine.createdAt);
  expect(kept.map(({ recipients }) => recipients)).toEqual([[ben], [to], [to, ben]]);
});

test("a deleted mailbox that had the address keeps what was its own", async () => {
  await addAlias(ctx, OWNER, ann, at("a"));
  const key = { kind: "api_key", keyId: "", keyName: "HR", adminId: "" } as const;
  const { deletedId } = await deleteMailbox({ ...ctx, actor: key }, ann);
  await aMailbox(domain, { address: ann });
  await rename(ann, at("marsh"));
  await removeAlias(ctx, OWNER, at("marsh"), ann);
  await restoreDeleted(ctx, deletedId);
  expect(await aliasesOf(ann)).toEqual([at("a")]);
});

test.each([
  ["an address of another mailbox", () => ben, "already_exists"],
  ["another mailbox's alias", () => at("bens"), "already_exists"],
  ["a domain that isn't the company's", () => "ann@elsewhere.example", "invalid"],
  ["no address", () => "ann", "invalid"],
])("rejects %s, and changes nothing", async (_, to, reason) => {
  await addAlias(ctx, OWNER, ben, at("bens"));
  await expect(rename(ann, to())).rejects.toMatchObject({ reason });
  expect(await aliasesOf(ann)).toEqual([]);
});

test("requires both privileges, and rejects other companies", async () => {
  const holding = (...privileges: string[]) =>
    effectivePrivileges({ isOwner: false, privileges, roles: [] });
  for (const name of ["update_users", "reset_user_passwords"])
    await expect(renameMailbox(ctx, holding("view_users", name), ann, at("x"))).rejects.toThrow(
      expect.objectContaining({ reason: "invalid_permission" }),
    );
  const helpdesk = holding("update_users", "reset_user_passwords");
  expect(await renameMailbox(ctx, helpdesk, ann, at("y"))).toBe(at("y"));
  const foreign = aContext((await aCompany()).id);
  await expect(renameMailbox(foreign, OWNER, ann, at("x"))).rejects.toMatchObject({
    reason: "invalid",
  });
  expect(await db().$count(mailboxSessions, eq(mailboxSessions.userId, ann))).toBe(0);
});
