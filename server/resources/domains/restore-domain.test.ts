import { randomBytes } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  addresses,
  aliases,
  apiKeys,
  companies,
  deletedItems,
  dkimKeys,
  domains,
  groupMembers,
  groups,
} from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { addDomain } from "#server/core/domains/domains/domains.ts";
import { markOwnershipVerified } from "#server/core/domains/ownership/ownership.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { getRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { createGroup, deleteGroup } from "#server/core/mailboxes/groups/groups.ts";
import { addAlias, removeAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import {
  deletePermanently,
  restoreDeleted,
} from "#server/core/operations/deleted-items/deleted-items.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAlias,
  anApiKey,
} from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

const CONSOLE = { via: "console" } as const;
const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
const aName = () => `${randomBytes(6).toString("hex")}.test`;
let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId, { name: aName() });
});

const remove = async () => (await deleteDomain(ctx, domain.id, CONSOLE)).deletedId!;
const kept = () =>
  db().select().from(deletedItems).where(eq(deletedItems.companyId, ctx.companyId));
const refusal = (reason: string, text: RegExp) =>
  expect.objectContaining({ reason, message: expect.stringMatching(text) as string }) as Error;
const aGroupAt = (address: string) => createGroup(ctx, { address, name: "", members: [] });
const stored = async () => {
  const { id } = domain;
  return {
    domain: await db().select().from(domains).where(eq(domains.id, id)),
    keys: await db().select().from(dkimKeys).where(eq(dkimKeys.domainId, id)),
    apiKeys: await db().select().from(apiKeys).where(eq(apiKeys.domainId, id)),
    addresses: await db()
      .select()
      .from(addresses)
      .where(eq(addresses.domainId, id))
      .orderBy(addresses.address),
  };
};
const send = (token: string) => {
  const body = { from: `a@${domain.name}`, to: "b@there.test", subject: "Hi", text: "Hi" };
  return call(emailsApi.send, { key: token, body });
};

test("a restored domain has its DKIM keys, groups, aliases and API keys, and sends and receives again", async () => {
  const other = await aDomain(ctx.companyId);
  const ann = (await aMailbox(other)).address;
  const alias = await anAlias(domain, ann);
  const group = await aGroup(domain, { name: "Team", members: [ann, "eve@example.org"] });
  const restricted = await anApiKey(ctx.companyId, {
    permission: "sending_access",
    domainId: domain.id,
  });
  const free = await anApiKey(ctx.companyId);
  const before = await stored();
  expect(await send(restricted.token)).toMatchObject({ status: 200 });

  const id = await remove();

  expect(await stored()).toEqual({ domain: [], keys: [], apiKeys: [], addresses: [] });
  expect(await send(restricted.token)).toMatchObject({ status: 403 });
  expect(await send(free.token)).toMatchObject({
    status: 403,
    body: { name: "invalid_from_address" },
  });
  expect((await resolveRecipients(db(), [alias, group.address])).size).toBe(0);

  await restoreDeleted(ctx, id);

  const after = await stored();
  const used = { lastUsedAt: expect.anything() as string };
  expect(after).toEqual({ ...before, apiKeys: before.apiKeys.map((key) => ({ ...key, ...used })) });
  expect(await db().select().from(aliases).where(eq(aliases.address, alias))).toMatchObject([
    { mailbox: ann },
  ]);
  expect(await db().select().from(groups).where(eq(groups.address, group.address))).toEqual([
    group,
  ]);
  expect(await db().$count(groupMembers, eq(groupMembers.groupAddress, group.address))).toBe(2);
  expect(await send(restricted.token)).toMatchObject({ status: 200 });
  expect(await kept()).toEqual([]);
});

test("an alias of a mailbox that is gone is left out", async () => {
  const other = await aDomain(ctx.companyId);
  const ann = (await aMailbox(other)).address;
  await anAlias(domain, ann);
  const id = await remove();
  await deleteMailbox(ctx, ann);
  await restoreDeleted(ctx, id);
  expect((await stored()).addresses).toEqual([]);
});

test("a key whose creator left stays revoked", async () => {
  const key = await anApiKey(ctx.companyId, { permission: "sending_access", domainId: domain.id });
  const id = await remove();
  await db().update(apiKeys).set({ creatorId: null }).where(eq(apiKeys.id, key.id));
  await restoreDeleted(ctx, id);
  expect((await stored()).apiKeys).toEqual([]);
  expect(await send(key.token)).toMatchObject({ status: 403, body: { name: "invalid_api_key" } });
});

test("the name stays reserved, also for other companies, until it is deleted for good", async () => {
  const elsewhere = aContext((await aCompany()).id);
  const id = await remove();
  const add = (as: Context) => addDomain(as, { name: domain.name }, CONSOLE);
  await expect(add(ctx)).rejects.toThrow(
    refusal("not_allowed", /reserved for a deleted domain.*restore it, or delete it permanently/),
  );
  await expect(add(elsewhere)).rejects.toThrow(
    refusal("not_allowed", /already registered by another company/),
  );
  await deletePermanently(ctx, id);
  await add(elsewhere);
});

test("another company can take the name once its record may have been missing for the grace period", async () => {
  const elsewhere = aContext((await aCompany()).id);
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const missing = { ownershipMissingSince: ago(13.9) };
  await db().update(domains).set(missing).where(eq(domains.id, domain.id));
  const id = await remove();
  await expect(addDomain(elsewhere, { name: domain.name }, CONSOLE)).rejects.toThrow(
    refusal("not_allowed", /ask them to delete it permanently/),
  );
  await restoreDeleted(ctx, id);
  await db()
    .update(domains)
    .set({ ownershipMissingSince: ago(14.1) })
    .where(eq(domains.id, domain.id));
  const again = await remove();
  const added = await addDomain(elsewhere, { name: domain.name }, CONSOLE);
  await markOwnershipVerified(elsewhere, added.domain);
  await expect(restoreDeleted(ctx, again)).rejects.toThrow(
    refusal("not_allowed", /already registered by another company/),
  );

  const { id: unchecked, name } = await aDomain(ctx.companyId, { name: aName() });
  const { deletedId } = await deleteDomain(ctx, unchecked, CONSOLE);
  await db()
    .update(deletedItems)
    .set({ createdAt: ago(14.1) })
    .where(eq(deletedItems.id, deletedId!));
  await addDomain(elsewhere, { name }, CONSOLE);
});

test("what the API deleted can be added again at once, and then not be restored", async () => {
  const actor = { kind: "api_key", keyId: "", keyName: "Infra", adminId: "" } as const;
  const { deletedId } = await deleteDomain({ ...ctx, actor }, domain.id, { via: "api" });
  const { domain: again } = await addDomain(ctx, { name: domain.name }, CONSOLE);
  await expect(restoreDeleted(ctx, deletedId!)).rejects.toThrow(
    refusal("already_exists", /one of your domains again/),
  );
  await deleteDomain(ctx, again.id, CONSOLE);
  await restoreDeleted(ctx, deletedId!);
  expect((await stored()).domain).toMatchObject([{ status: "verified" }]);
});

test("a domain that was never verified isn't kept", async () => {
  const { domain: pending } = await addDomain(ctx, { name: "unproven.test" }, CONSOLE);
  expect(await deleteDomain(ctx, pending.id, CONSOLE)).toEqual({ deletedId: null });
  expect(await kept()).toEqual([]);
});

test("deleted for good, it includes what was deleted from it before", async () => {
  const other = await aDomain(ctx.companyId);
  const [ann, bob] = [await aMailbox(domain), await aMailbox(other)];
  for (const { address } of [ann, bob]) await deleteMailbox(ctx, address);
  await deletePermanently(ctx, await remove());
  expect((await kept()).map(({ name }) => name)).toEqual([bob.address]);
});

test("deleted for good after the company added the name again, it leaves what can be restored there", async () => {
  const ann = (await aMailbox(domain)).address;
  const { deletedId: mailbox } = await deleteMailbox(ctx, ann);
  const actor = { kind: "api_key", keyId: "", keyName: "Infra", adminId: "" } as const;
  const { deletedId } = await deleteDomain({ ...ctx, actor }, domain.id, { via: "api" });
  await aDomain(ctx.companyId, { name: domain.name });
  await deletePermanently(ctx, deletedId!);
  await restoreDeleted(ctx, mailbox);
  expect((await resolveRecipients(db(), [ann])).size).toBe(1);
});

test("the plan's limit is named, and nothing changes", async () => {
  const id = await remove();
  await db().update(companies).set({ domainsMax: 0 }).where(eq(companies.id, ctx.companyId));
  await expect(restoreDeleted(ctx, id)).rejects.toThrow(refusal("not_allowed", /plan allows 0/));
  expect((await stored()).domain).toEqual([]);
});

test("a verified domain is restored while ten others are pending, one that lost its ownership isn't", async () => {
  const id = await remove();
  for (let i = 0; i < 10; i++)
    await aDomain(ctx.companyId, { name: aName(), ownershipProvenAt: null });
  await restoreDeleted(ctx, id);
  expect((await stored()).domain).toHaveLength(1);

  await db()
    .update(domains)
    .set({ ownershipProvenAt: null, ownershipLostAt: sql`now()` })
    .where(eq(domains.id, domain.id));
  const again = await remove();
  await expect(restoreDeleted(ctx, again)).rejects.toThrow(
    refusal("too_many_pending", /10 domains are already waiting/),
  );
});

test("a group is restored with its settings and members, and its address is reserved meanwhile", async () => {
  const group = await aGroup(domain, {
    name: "Team",
    posting: "listed",
    posters: ["@example.org"],
    membersSendAs: true,
    members: ["eve@example.org"],
  });
  const { deletedId } = await deleteGroup(ctx, group.address);
  await expect(aGroupAt(group.address)).rejects.toThrow(
    refusal("already_exists", /reserved for a deleted group/),
  );
  await restoreDeleted(ctx, deletedId);
  expect(await db().select().from(groups).where(eq(groups.address, group.address))).toEqual([
    group,
  ]);
  expect(await db().$count(groupMembers, eq(groupMembers.groupAddress, group.address))).toBe(1);
});

test("a removed alias is restored, or given to another mailbox; nothing else can have its address", async () => {
  const [ann, bob] = [(await aMailbox(domain)).address, (await aMailbox(domain)).address];
  const alias = await anAlias(domain, ann);
  await removeAlias(ctx, owner, ann, alias);
  const [first] = await kept();
  expect(first).toMatchObject({ kind: "alias", name: alias, title: ann });
  await expect(aGroupAt(alias)).rejects.toThrow(
    refusal("already_exists", /reserved for a deleted alias/),
  );
  await restoreDeleted(ctx, first!.id);
  expect(await db().select().from(aliases).where(eq(aliases.address, alias))).toMatchObject([
    { mailbox: ann },
  ]);
  expect((await getRules(ctx, ann)).filters).toEqual([]);

  await removeAlias(ctx, owner, ann, alias);
  await addAlias(ctx, owner, bob, alias);
  expect(await kept()).toEqual([]);
});

test("an alias of a deleted mailbox can be restored only after the mailbox", async () => {
  const ann = (await aMailbox(domain)).address;
  await removeAlias(ctx, owner, ann, await anAlias(domain, ann));
  const [alias] = await kept();
  const { deletedId } = await deleteMailbox(ctx, ann);
  await expect(restoreDeleted(ctx, alias!.id)).rejects.toThrow(
    refusal("invalid", /mailbox .* is deleted. Restore it first/),
  );
  await restoreDeleted(ctx, deletedId);
  await restoreDeleted(ctx, alias!.id);
  expect(await kept()).toEqual([]);
});
