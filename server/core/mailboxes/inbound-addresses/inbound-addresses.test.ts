import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { addresses, auditEntries, domains } from "#drizzle/schema/index.ts";
import { deleteDomain, restoreDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { restoreInboundAddress } from "#server/core/mailboxes/deleted/deleted-addresses.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { type Deleted, lockDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";

import {
  createInboundAddress,
  deleteInboundAddress,
  listInboundAddresses,
} from "./inbound-addresses.ts";

let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
});

const at = (local: string) => `${local}@${domain.name}`;
const kinds = async (...local: string[]) => {
  const found = await resolveRecipients(db(), local.map(at));
  return local.map((one) => found.get(at(one))?.kind);
};
const listed = async () => (await listInboundAddresses(ctx)).map(({ address }) => address);
const restore = (
  id: string,
  by: (ctx: Context, item: Deleted) => Promise<unknown> = restoreInboundAddress,
) => inTransaction(ctx, async (ctx) => by(ctx, await lockDeleted(ctx, id)));

test("an address resolves with its tags; a catch-all covers addresses that don't exist", async () => {
  expect(await createInboundAddress(ctx, ` Support@${domain.name.toUpperCase()} `)).toMatchObject({
    address: at("support"),
  });
  expect(await kinds("support", "support+7", "other")).toEqual(["inbound", "inbound", undefined]);
  await createInboundAddress(ctx, `*@${domain.name.toUpperCase()}`);
  await aMailbox(domain, { address: at("ann") });
  await aGroup(domain, { address: at("team") });
  expect(await kinds("ann", "ann+x", "team", "other", "a+b", "postmaster", "abuse")).toEqual([
    "mailbox",
    "mailbox",
    "group",
    "inbound",
    "inbound",
    undefined,
    undefined,
  ]);
  expect(await listed()).toEqual([at("*"), at("support")]);
});

test.each(["*", "*@", "*@*", "*@a b.example", "x*@shop.example", "a@b@shop.example", "postmaster"])(
  "rejects %s",
  async (address) => {
    await expect(createInboundAddress(ctx, address)).rejects.toMatchObject({ reason: "invalid" });
  },
);

test("rejects another company's or an unverified domain, and a taken address", async () => {
  const theirs = await aDomain((await aCompany()).id);
  await expect(createInboundAddress(ctx, `*@${theirs.name}`)).rejects.toMatchObject({
    reason: "invalid",
  });
  await aMailbox(domain, { address: at("ann") });
  await expect(createInboundAddress(ctx, at("ann"))).rejects.toMatchObject({
    reason: "already_exists",
  });
  await db().update(domains).set({ status: "pending" }).where(eq(domains.id, domain.id));
  await expect(createInboundAddress(ctx, at("x"))).rejects.toMatchObject({ reason: "invalid" });
  expect(await listed()).toEqual([]);
});

test("a deleted address is reserved, can be restored or created again, and isn't another company's", async () => {
  await createInboundAddress(ctx, at("*"));
  await expect(
    deleteInboundAddress(aContext((await aCompany()).id), at("*")),
  ).rejects.toMatchObject({ reason: "not_found" });
  const { deletedId: id } = await deleteInboundAddress(ctx, at("*"));
  expect([await listed(), await kinds("x")]).toEqual([[], [undefined]]);
  await restore(id);
  expect(await kinds("x")).toEqual(["inbound"]);
  await deleteInboundAddress(ctx, at("*"));
  await createInboundAddress(ctx, at("*"));
  const audited = await db()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId));
  expect(audited.map(({ action }) => action).toSorted()).toEqual([
    "inbound_address.created",
    "inbound_address.created",
    "inbound_address.deleted",
    "inbound_address.deleted",
    "inbound_address.undeleted",
  ]);
});

test("goes and comes back with its domain", async () => {
  await createInboundAddress(ctx, at("in"));
  const { deletedId } = await deleteDomain(ctx, domain.id, { via: "console" });
  expect(await db().$count(addresses, eq(addresses.address, at("in")))).toBe(0);
  await restore(deletedId!, restoreDomain);
  expect(await kinds("in")).toEqual(["inbound"]);
});

test("a company has at most 100", async () => {
  const rows = Array.from({ length: 99 }, (_, i) => ({
    address: at(`a${i}`),
    companyId: ctx.companyId,
    domainId: domain.id,
    kind: "inbound" as const,
  }));
  await db().insert(addresses).values(rows);
  const results = await Promise.allSettled(
    ["a", "b", "c", "d", "e", "f", "g", "h"].map((local) => createInboundAddress(ctx, at(local))),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
