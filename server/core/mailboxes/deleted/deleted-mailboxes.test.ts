import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  aliases,
  appPasswords,
  auditEntries,
  companies,
  deletedItems,
  groupMembers,
  identityProviders,
  mailboxContacts,
  mailboxes,
  mailboxIdentities,
  mailboxShares,
  mailboxUsage,
  orgUnits,
  removedStores,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { getRules, saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { addAlias, removeAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import {
  deleteMailbox,
  removeMailStores,
} from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { createMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { createUnit, ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import {
  deleteOldItems,
  deletePermanently,
  restoreDeleted,
} from "#server/core/operations/deleted-items/deleted-items.ts";
import { listViewers } from "#server/core/mailboxes/shares/shares.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAlias,
} from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

let dovecot: TestDovecot;
let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let ann: string;

const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});

afterAll(() => dovecot.stop());

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
  ann = (await aMailbox(domain, { address: `ann@${domain.name}` })).address;
});

const remove = async (address = ann) => (await deleteMailbox(ctx, address)).deletedId;

const kept = () =>
  db().select().from(deletedItems).where(eq(deletedItems.companyId, ctx.companyId));

const exists = async (address = ann) =>
  (await db().$count(mailboxes, eq(mailboxes.address, address))) > 0;

const refusal = (reason: string, text: RegExp) =>
  expect.objectContaining({ reason, message: expect.stringMatching(text) as string }) as Error;

const stored = async () =>
  (await db().select().from(mailboxes).where(eq(mailboxes.address, ann)))[0]!;

/** UIDs and flags of a folder. */
async function readFolder(app: ImapFlow, folder: string) {
  const lock = await app.getMailboxLock(folder);
  try {
    const found = await app.fetchAll("1:*", { uid: true, flags: true });
    const kept = (flags?: Set<string>) =>
      [...(flags ?? [])].filter((flag) => flag !== "\\Recent").toSorted();
    const validity = String(app.mailbox && app.mailbox.uidValidity);
    return { validity, mail: found.map(({ uid, flags }) => [uid, kept(flags)]) };
  } finally {
    lock.release();
  }
}

test("a restored mailbox has the same messages, UIDs, flags and folders; while it is deleted it can't be used", async () => {
  for (let i = 0; i < 3; i++) await deliver(dovecot.lmtpSocket, ann);
  const app = await signIn(dovecot.imap, ann);
  await app.mailboxCreate("Projects");
  await app.mailboxOpen("INBOX");
  await app.messageFlagsAdd("2", ["\\Seen", "\\Flagged"]);
  await app.messageMove("3", "Projects");
  await app.messageDelete("1");
  const [inbox, projects] = [await readFolder(app, "INBOX"), await readFolder(app, "Projects")];
  expect(inbox.mail).toEqual([[2, ["\\Flagged", "\\Seen"]]]);
  await app.mailboxOpen("INBOX");
  void app.idle();
  const ended = once(app, "close");

  const id = await remove();

  await ended;
  expect(await deliver(dovecot.lmtpSocket, ann)).toMatch(/^550 5\.1\.1/);
  await expect(signIn(dovecot.imap, ann)).rejects.toThrow();
  // Neither job touches mail that can still be restored.
  await removeMailStores(db());
  await deleteOldItems(db(), 20);

  await restoreDeleted(ctx, id);

  const again = await signIn(dovecot.imap, ann);
  expect(await readFolder(again, "INBOX")).toEqual(inbox);
  expect(await readFolder(again, "Projects")).toEqual(projects);
  await again.logout();
  expect(await deliver(dovecot.lmtpSocket, ann)).toMatch(/^250/);
  expect(await kept()).toEqual([]);
});

test("aliases, rules, app passwords, contacts, usage and group memberships come back as they were", async () => {
  const alias = await anAlias(domain, ann, `a.smith@${domain.name}`);
  const group = await aGroup(domain, { members: [ann] });
  const { secret } = await createAppPassword(ctx, ann, "Phone");
  await saveRules(ctx, ann, { forwardTo: ["bob@example.org"], keepCopy: true });
  await db().insert(mailboxContacts).values({ mailbox: ann, contact: "eve@example.org" });
  await db().insert(mailboxUsage).values({ address: ann, usedBytes: 5_000_000_000, messages: 7 });
  await db().update(mailboxes).set({ language: "de" }).where(eq(mailboxes.address, ann));
  const before = await stored();
  const rules = await getRules(ctx, ann);

  const id = await remove();
  expect(await db().$count(aliases, eq(aliases.mailbox, ann))).toBe(0);
  expect(await kept()).toMatchObject([
    { name: ann, title: "Ann Example", storageBytes: 5_000_000_000, messages: 7, isReserved: true },
  ]);
  await restoreDeleted(ctx, id);

  expect(await stored()).toEqual(before);
  expect(await getRules(ctx, ann)).toEqual(rules);
  expect(await db().select().from(aliases).where(eq(aliases.mailbox, ann))).toMatchObject([
    { address: alias },
  ]);
  expect(await db().$count(mailboxContacts, eq(mailboxContacts.mailbox, ann))).toBe(1);
  expect(await db().$count(appPasswords, eq(appPasswords.mailbox, ann))).toBe(1);
  expect(await db().select().from(mailboxUsage).where(eq(mailboxUsage.address, ann))).toMatchObject(
    [{ usedBytes: 5_000_000_000, messages: 7 }],
  );
  expect(await db().$count(groupMembers, eq(groupMembers.groupAddress, group.address))).toBe(1);
  await (await signIn(dovecot.imap, ann, { password: secret })).logout();
});

test("the link to an account at the identity provider comes back, unless the provider was replaced", async () => {
  const { companyId } = ctx;
  const connect = async (clientId: string) => {
    const values = { companyId, issuer: "https://id.example.com", clientId };
    const [made] = await db()
      .insert(identityProviders)
      .values({ ...values, sealedClientSecret: "" })
      .returning();
    return made!.id;
  };
  const providerId = await connect("first");
  await db().insert(mailboxIdentities).values({ providerId, subject: "ann", mailbox: ann });
  const links = () => db().select().from(mailboxIdentities);
  const before = await links();
  const id = await remove();
  expect(await links()).toEqual([]);
  await restoreDeleted(ctx, id);
  expect(await links()).toEqual(before);
  const again = await remove();
  await db().delete(identityProviders).where(eq(identityProviders.id, providerId));
  await connect("second");
  await restoreDeleted(ctx, again);
  expect(await links()).toEqual([]);
});

test("the addresses stay reserved, with what to do about it, until it is restored or deleted for good", async () => {
  const alias = await anAlias(domain, ann, `a.smith@${domain.name}`);
  const bob = (await aMailbox(domain)).address;
  const id = await remove();
  const create = (email: string) => createMailbox(ctx, owner, { email, name: "Ann" });
  await expect(create(ann)).rejects.toThrow(
    refusal(
      "already_exists",
      /reserved for a deleted mailbox.*restore it, or delete it permanently/,
    ),
  );
  await expect(create(alias)).rejects.toThrow(refusal("already_exists", /deleted mailbox ann@/));
  await expect(addAlias(ctx, owner, bob, ann)).rejects.toThrow(refusal("already_exists", /./));
  await deletePermanently(ctx, id);
  await create(ann);
  await addAlias(ctx, owner, bob, alias);
});

test("deleting for good removes the mail and the reservation, once", async () => {
  await deliver(dovecot.lmtpSocket, ann);
  const folder = join(config().dataFolder, "mail", (await stored()).store);
  const id = await remove();
  await access(folder);
  await deletePermanently(ctx, id);
  const again = refusal("not_found", /restored or deleted permanently/);
  await expect(deletePermanently(ctx, id)).rejects.toThrow(again);
  await expect(restoreDeleted(ctx, id)).rejects.toThrow(again);
  await removeMailStores(db());
  await expect(access(folder)).rejects.toThrow(/ENOENT/);
  expect(await readdir(join(config().dataFolder, "mail", domain.name))).toEqual([]);
  const audited = await db()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId))
    .orderBy(auditEntries.createdAt);
  expect(audited.map(({ action }) => action)).toEqual([
    "mailbox.deleted",
    "mailbox.deleted_permanently",
  ]);
});

test("after the retention it is deleted for good, not before", async () => {
  const id = await remove();
  const age = (days: number) =>
    db()
      .update(deletedItems)
      .set({ createdAt: new Date(Date.now() - days * 86_400_000).toISOString() })
      .where(eq(deletedItems.id, id));
  await age(19.9);
  await deleteOldItems(db(), 20);
  expect(await kept()).toHaveLength(1);
  await age(20.1);
  expect(await deleteOldItems(db(), 20)).toBe(1);
  expect(await kept()).toEqual([]);
  expect(await db().$count(removedStores, eq(removedStores.address, ann))).toBe(1);
});

test("restored and deleted for good at the same time, one of them wins", async () => {
  for (let round = 0; round < 3; round++) {
    const id = await remove();
    const results = await Promise.allSettled([
      restoreDeleted(ctx, id),
      deletePermanently(ctx, id),
      restoreDeleted(ctx, id),
      deletePermanently(ctx, id),
    ]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [isBack, isGone] = [
      await exists(),
      await db().$count(removedStores, eq(removedStores.address, ann)),
    ];
    expect([isBack, isGone]).toEqual(isBack ? [true, 0] : [false, 1]);
    await db().delete(removedStores).where(eq(removedStores.address, ann));
    if (!isBack) await aMailbox(domain, { address: ann });
  }
});

test("created while it is deleted, the address belongs to one of them", async () => {
  const results = await Promise.allSettled([
    remove(),
    createMailbox(ctx, owner, { email: ann, name: "Other" }),
  ]);
  expect(results[0]).toMatchObject({ status: "fulfilled" });
  expect(results[1]).toMatchObject({ status: "rejected", reason: { reason: "already_exists" } });
});

test("what an API key deletes can be restored, and its address is free", async () => {
  const key = {
    ...ctx,
    actor: { kind: "api_key", keyId: "", keyName: "HR", adminId: randomUUID() },
  } as const;
  const { deletedId } = await deleteMailbox(key, ann);
  expect(await kept()).toMatchObject([{ deletedBy: "API key HR", isReserved: false }]);
  await createMailbox(key, owner, { email: ann, name: "New" });
  await expect(restoreDeleted(ctx, deletedId)).rejects.toThrow(
    refusal("already_exists", /is used by another mailbox/),
  );
  const second = await remove();
  await restoreDeleted(ctx, deletedId);
  expect(await stored()).toMatchObject({ name: "Ann Example" });
  await expect(restoreDeleted(ctx, second)).rejects.toThrow(refusal("already_exists", /./));
});

test("a mailbox whose unit is gone returns to the root unit", async () => {
  const unit = await createUnit(ctx, { parentId: null, name: "Sales" });
  await db().update(mailboxes).set({ orgUnitId: unit }).where(eq(mailboxes.address, ann));
  const id = await remove();
  await db().delete(orgUnits).where(eq(orgUnits.id, unit));
  await restoreDeleted(ctx, id);
  expect((await stored()).orgUnitId).toBe(await ensureRootUnit(ctx));
});

test("the plan's limit and a deleted domain are named, and nothing changes", async () => {
  const id = await remove();
  const set = (mailboxesMax: number | null) =>
    db().update(companies).set({ mailboxesMax }).where(eq(companies.id, ctx.companyId));
  await set(0);
  await expect(restoreDeleted(ctx, id)).rejects.toThrow(refusal("not_allowed", /plan allows 0/));
  await set(null);
  const gone = await deleteDomain(ctx, domain.id, { via: "console" });
  await expect(restoreDeleted(ctx, id)).rejects.toThrow(
    refusal("invalid", /domain .* is deleted.*Restore/),
  );
  expect(await exists()).toBe(false);
  await restoreDeleted(ctx, gone.deletedId!);
  await restoreDeleted(ctx, id);
  expect(await exists()).toBe(true);
});

test("a storage limit above the plan's maximum is lowered to it, and others stay", async () => {
  const capAt = (quotaMbMax: number | null) =>
    db().update(companies).set({ quotaMbMax }).where(eq(companies.id, ctx.companyId));
  const { quotaMb } = await stored();
  await capAt(quotaMb);
  expect(await restoreDeleted(ctx, await remove())).toMatchObject({ loweredQuotaMb: null });
  await capAt(null);
  expect(await restoreDeleted(ctx, await remove())).toMatchObject({ loweredQuotaMb: null });
  expect((await stored()).quotaMb).toBe(quotaMb);

  await capAt(quotaMb - 1);
  expect(await restoreDeleted(ctx, await remove())).toMatchObject({ loweredQuotaMb: quotaMb - 1 });

  expect((await stored()).quotaMb).toBe(quotaMb - 1);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.action, "mailbox.undeleted"));
  expect(
    entries.filter(({ details }) => details.mailbox === ann).map(({ details }) => details.quotaMb),
  ).toEqual([undefined, undefined, { from: quotaMb, to: quotaMb - 1 }]);
});

test("deleted mailboxes that store all that the plan allows keep new ones from being created, not from being restored", async () => {
  const deleteWith = async (usedBytes: number) => {
    await db().insert(mailboxUsage).values({ address: ann, usedBytes });
    return remove();
  };
  const create = () =>
    createMailbox(ctx, owner, { email: `new${Date.now()}@${domain.name}`, name: "New" });
  await db()
    .update(companies)
    .set({ mailboxesMax: 3, quotaMbMax: 10 })
    .where(eq(companies.id, ctx.companyId));
  const id = await deleteWith(30 * 1024 * 1024 - 1);
  await create();
  await restoreDeleted(ctx, id);
  await db().delete(mailboxUsage).where(eq(mailboxUsage.address, ann));
  const again = await deleteWith(30 * 1024 * 1024);
  await expect(create()).rejects.toThrow(refusal("not_allowed", /deleted mailboxes use as much/));
  await restoreDeleted(ctx, again);
  await create();
});

test("a mailbox is restored without an alias whose address is in use by now", async () => {
  const alias = await anAlias(domain, ann, `a.smith@${domain.name}`);
  const key = {
    ...ctx,
    actor: { kind: "api_key", keyId: "", keyName: "HR", adminId: randomUUID() },
  } as const;
  const { deletedId } = await deleteMailbox(key, ann);
  await aGroup(domain, { address: alias });
  await restoreDeleted(ctx, deletedId);
  expect(await exists()).toBe(true);
  expect(await db().$count(aliases, eq(aliases.mailbox, ann))).toBe(0);
});

/** The aliases of a mailbox. */
const aliasesOf = async (mailbox: string) =>
  (
    await db().select().from(aliases).where(eq(aliases.mailbox, mailbox)).orderBy(aliases.address)
  ).map(({ address, active }) => [address, active]);

test("a deleted mailbox's addresses become aliases of another mailbox, and return when it is restored", async () => {
  const ben = (await aMailbox(domain, { address: `ben@${domain.name}` })).address;
  const sales = await anAlias(domain, ann, `sales@${domain.name}`);
  const old = await anAlias(domain, ann, `old@${domain.name}`);
  await db().update(aliases).set({ active: false }).where(eq(aliases.address, old));
  const box = (await aMailbox(domain, { address: `box@${domain.name}` })).address;
  await db()
    .insert(mailboxShares)
    .values({ mailbox: box, member: ann, access: "read", sendAs: false });

  const { deletedId } = await deleteMailbox(ctx, ann, { deliverTo: ben.toUpperCase() });

  expect(await exists()).toBe(false);
  expect(await aliasesOf(ben)).toEqual([
    [ann, true],
    [old, false],
    [sales, true],
  ]);
  expect(await deliver(dovecot.lmtpSocket, ann)).toMatch(/^250/);
  expect((await db().select().from(mailboxUsage)).map(({ address }) => address)).not.toContain(ann);
  // Ben gets Ann's mail, but not the mailboxes that were shared with her.
  expect(await listViewers(db(), box)).toEqual([]);
  await expect(addAlias(ctx, owner, box, ann)).rejects.toThrow("is already an alias");

  await restoreDeleted(ctx, deletedId);

  expect(await aliasesOf(ben)).toEqual([]);
  expect(await aliasesOf(ann)).toEqual([
    [old, false],
    [sales, true],
  ]);
  expect(await listViewers(db(), box)).toEqual([ann]);
  const log = await db()
    .select({ action: auditEntries.action, details: auditEntries.details })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId))
    .orderBy(auditEntries.id);
  expect(log.slice(-8)).toMatchObject([
    { action: "alias.added", details: { alias: ann, mailbox: ben } },
    { action: "alias.added", details: { alias: old, mailbox: ben } },
    { action: "alias.added", details: { alias: sales, mailbox: ben } },
    { action: "mailbox.deleted", details: { mailbox: ann, aliases: [old, sales] } },
    { action: "alias.removed", details: { alias: ann, mailbox: ben } },
    { action: "alias.removed", details: { alias: old, mailbox: ben } },
    { action: "alias.removed", details: { alias: sales, mailbox: ben } },
    { action: "mailbox.undeleted", details: { mailbox: ann, aliases: [old, sales] } },
  ]);
});

test("the addresses return from whichever mailbox has them by then, and stay there if the deletion becomes permanent", async () => {
  const at = (name: string) => aMailbox(domain, { address: `${name}@${domain.name}` });
  const [ben, cara] = [(await at("ben")).address, (await at("cara")).address];
  const first = await deleteMailbox(ctx, ann, { deliverTo: ben });
  const second = await deleteMailbox(ctx, ben, { deliverTo: cara });
  expect(await aliasesOf(cara)).toEqual([
    [ann, true],
    [ben, true],
  ]);

  await restoreDeleted(ctx, first.deletedId);
  expect(await aliasesOf(cara)).toEqual([[ben, true]]);
  await restoreDeleted(ctx, second.deletedId);
  expect(await aliasesOf(cara)).toEqual([]);
  expect(await aliasesOf(ben)).toEqual([]);
  expect(await exists()).toBe(true);

  const third = await deleteMailbox(ctx, ann, { deliverTo: ben });
  await deletePermanently(ctx, third.deletedId);
  expect(await aliasesOf(ben)).toEqual([[ann, true]]);
});

test("an alias that was removed meanwhile can be added to another mailbox, from which it returns", async () => {
  const ben = (await aMailbox(domain, { address: `ben@${domain.name}` })).address;
  const cara = (await aMailbox(domain, { address: `cara@${domain.name}` })).address;
  const { deletedId } = await deleteMailbox(ctx, ann, { deliverTo: ben });
  await removeAlias(ctx, owner, ben, ann);
  await addAlias(ctx, owner, cara, ann);
  await restoreDeleted(ctx, deletedId);
  expect(await aliasesOf(cara)).toEqual([]);
  expect(await exists()).toBe(true);
});

test.each([
  ["itself", () => ann],
  ["an unknown mailbox", () => `nobody@${domain.name}`],
  ["an alias", () => anAlias(domain, ann)],
  [
    "another company's mailbox",
    async () => (await aMailbox(await aDomain((await aCompany()).id))).address,
  ],
  ["no address", () => "x"],
])("nothing is deleted if its mail is to be delivered to %s", async (_, target) => {
  const deliverTo = await target();
  await expect(deleteMailbox(ctx, ann, { deliverTo })).rejects.toThrow(
    refusal("invalid", /^Mail can only be delivered to another mailbox of your company/),
  );
  expect(await exists()).toBe(true);
});

test("two deletions at the same time that deliver to each other leave one mailbox with all addresses", async () => {
  const ben = (await aMailbox(domain, { address: `ben@${domain.name}` })).address;
  const results = await Promise.allSettled([
    deleteMailbox(ctx, ann, { deliverTo: ben }),
    deleteMailbox(ctx, ben, { deliverTo: ann }),
  ]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const left = (await exists()) ? ann : ben;
  expect(await aliasesOf(left)).toEqual([[left === ann ? ben : ann, true]]);
});
