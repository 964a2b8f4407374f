import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { auditEntries, mailboxes, mailboxPolicies, roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { moveMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import {
  createUnit,
  deleteUnit,
  ensureRootUnit,
  LEVELS_MAX,
  moveUnit,
  renameUnit,
  setPolicies,
} from "./units.ts";
import { listUnits } from "./unit-views.ts";

const all = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
let ctx: Context;
let root: number;
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  root = await ensureRootUnit(ctx);
});

const unit = (name: string, parentId: number | null = null) => createUnit(ctx, { parentId, name });
const tree = async () => {
  const units = await listUnits(ctx);
  const nameOf = new Map(units.map(({ id, name }) => [id, name]));
  return units.map(({ name, parentId }) => [name, parentId && nameOf.get(parentId)]);
};
const aDeep = async (levels: number) => {
  const ids = [await unit(`Deep ${levels}`)];
  while (ids.length < levels) ids.push(await unit("Below", ids.at(-1)));
  return { top: ids[0]!, above: ids.at(-2)!, bottom: ids.at(-1)! };
};
const refused = (reason: string) => expect.objectContaining({ reason }) as Error;
const elsewhere = async () => {
  const other = aContext((await aCompany()).id);
  return { other, id: await createUnit(other, { parentId: null, name: "Theirs" }) };
};

test("lists units as a tree, siblings by name", async () => {
  const sales = await unit(" Sales ");
  await unit("Berlin", sales);
  await unit("athens", sales);
  await unit("IT");
  expect(await tree()).toEqual([
    ["Example Ltd", null],
    ["IT", "Example Ltd"],
    ["Sales", "Example Ltd"],
    ["athens", "Sales"],
    ["Berlin", "Sales"],
  ]);
});

test("audits each change", async () => {
  const [a, b] = [await unit("A"), await unit("B")];
  await renameUnit(ctx, a, "C");
  await renameUnit(ctx, a, "C");
  await moveUnit(ctx, a, b);
  await setPolicies(ctx, a, { imapAllowed: false });
  await deleteUnit(ctx, a);
  const noted = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId))
    .orderBy(auditEntries.createdAt, auditEntries.id);
  expect(noted.map(({ action }) => action)).toEqual([
    "unit.created",
    "unit.created",
    "unit.renamed",
    "unit.moved",
    "unit.policies_changed",
    "unit.deleted",
  ]);
});

describe("names", () => {
  test.each(["", " ", "x".repeat(121), "a\nb"])("rejects %j", async (name) => {
    await expect(unit(name)).rejects.toEqual(refused("invalid"));
    await expect(renameUnit(ctx, root, name)).rejects.toEqual(refused("invalid"));
  });

  test("are unique among siblings, ignoring case", async () => {
    const [a, b] = [await unit("A"), await unit("B")];
    const under = await unit("a", b);
    await expect(unit("a")).rejects.toEqual(refused("already_exists"));
    await expect(renameUnit(ctx, b, "a")).rejects.toEqual(refused("already_exists"));
    await expect(moveUnit(ctx, under, root)).rejects.toEqual(refused("already_exists"));
    await renameUnit(ctx, a, "a");
  });

  test("are unique with concurrent requests", async () => {
    const made = await Promise.allSettled(Array.from({ length: 5 }, () => unit("A")));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("moving", () => {
  test("moves all descendants", async () => {
    const [a, b] = [await unit("A"), await unit("B")];
    await unit("Below A", a);
    await moveUnit(ctx, a, b);
    expect(await tree()).toEqual([
      ["Example Ltd", null],
      ["B", "Example Ltd"],
      ["A", "B"],
      ["Below A", "A"],
    ]);
  });

  test("never creates a cycle, even with concurrent moves", async () => {
    const a = await unit("A");
    const b = await unit("B", a);
    await expect(moveUnit(ctx, a, a)).rejects.toEqual(refused("invalid"));
    await expect(moveUnit(ctx, a, b)).rejects.toEqual(refused("invalid"));
    await expect(moveUnit(ctx, root, a)).rejects.toEqual(refused("invalid"));
    for (let round = 0; round < 5; round++) {
      const [x, y] = [await unit(`X${round}`), await unit(`Y${round}`)];
      const both = await Promise.allSettled([moveUnit(ctx, x, y), moveUnit(ctx, y, x)]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  test("enforces the maximum depth", async () => {
    const { above, bottom } = await aDeep(LEVELS_MAX - 1);
    await expect(unit("Too deep", bottom)).rejects.toEqual(refused("not_allowed"));
    const { top: pair } = await aDeep(2);
    await expect(moveUnit(ctx, pair, above)).rejects.toEqual(refused("not_allowed"));
  });
});

describe("deleting", () => {
  test("rejects the root and units that aren't empty", async () => {
    const a = await unit("A");
    const below = await unit("Below", a);
    await expect(deleteUnit(ctx, root)).rejects.toEqual(refused("invalid"));
    await expect(deleteUnit(ctx, a)).rejects.toEqual(refused("resource_in_use"));
    await deleteUnit(ctx, below);
    const mailbox = await aMailbox(await aDomain(ctx.companyId), { orgUnitId: a });
    await expect(deleteUnit(ctx, a)).rejects.toEqual(refused("resource_in_use"));
    await moveMailbox(ctx, all, mailbox.address, root);
    await deleteUnit(ctx, a);
    expect(await tree()).toHaveLength(1);
  });

  test("deletes the roles limited to the unit", async () => {
    const { companyId } = ctx;
    const a = await unit("A");
    await db().insert(roles).values({ companyId, name: "Of A", orgUnitId: a });
    await db().insert(roles).values({ companyId, name: "Of all" });
    await deleteUnit(ctx, a);
    const left = await db().select().from(roles).where(eq(roles.companyId, companyId));
    expect(left).toMatchObject([{ name: "Of all", orgUnitId: null }]);
  });

  test("rejects either a deletion or a concurrent new mailbox", async () => {
    const { address } = await aMailbox(await aDomain(ctx.companyId));
    for (let round = 0; round < 5; round++) {
      const a = await unit(`A${round}`);
      await moveMailbox(ctx, all, address, root);
      const both = await Promise.allSettled([
        deleteUnit(ctx, a),
        moveMailbox(ctx, all, address, a),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      for (const result of both)
        if (result.status === "rejected")
          expect(["resource_in_use", "invalid"]).toContain(
            (result.reason as { reason: string }).reason,
          );
    }
  });
});

describe("policies", () => {
  const policyOf = async (address: string) => {
    const [policy] = await db()
      .select()
      .from(mailboxPolicies)
      .where(eq(mailboxPolicies.address, address));
    return policy!;
  };

  test("apply to the unit and its descendants unless a nearer unit overrides them", async () => {
    const a = await unit("A");
    const b = await unit("B", a);
    const { address } = await aMailbox(await aDomain(ctx.companyId));
    await setPolicies(ctx, a, { pop3Allowed: false, passwordLengthMin: 16 });
    expect(await policyOf(address)).toMatchObject({ pop3Allowed: true, passwordLengthMin: 12 });
    await moveMailbox(ctx, all, address, b);
    expect(await policyOf(address)).toMatchObject({ pop3Allowed: false, passwordLengthMin: 16 });
    await setPolicies(ctx, b, { pop3Allowed: true });
    expect(await policyOf(address)).toMatchObject({ pop3Allowed: true, passwordLengthMin: 16 });
    await setPolicies(ctx, b, { pop3Allowed: null });
    expect(await policyOf(address)).toMatchObject({ pop3Allowed: false });
  });

  test.each([
    { defaultQuotaMb: 255 },
    { defaultQuotaMb: 51_201 },
    { passwordLengthMin: 7 },
    { passwordLengthMin: 65 },
    { passwordLengthMin: 12.5 },
  ])("rejects %j", async (policies) => {
    await expect(setPolicies(ctx, root, policies)).rejects.toEqual(refused("invalid"));
  });
});

test("hides another company's units", async () => {
  const { id } = await elsewhere();
  const own = await unit("Own");
  const { address } = await aMailbox(await aDomain(ctx.companyId));
  for (const act of [
    () => renameUnit(ctx, id, "Mine"),
    () => moveUnit(ctx, id, own),
    () => deleteUnit(ctx, id),
    () => setPolicies(ctx, id, { imapAllowed: false }),
  ])
    await expect(act()).rejects.toEqual(refused("not_found"));
  await expect(moveUnit(ctx, own, id)).rejects.toEqual(refused("invalid"));
  await expect(unit("Under theirs", id)).rejects.toEqual(refused("invalid"));
  await expect(moveMailbox(ctx, all, address, id)).rejects.toEqual(refused("invalid"));
});

test("rejects moving another company's mailbox", async () => {
  const { other, id } = await elsewhere();
  const { address } = await aMailbox(await aDomain(other.companyId));
  await expect(moveMailbox(ctx, all, address, root)).rejects.toEqual(refused("not_found"));
  await moveMailbox(other, all, address, id);
  const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  expect(row).toMatchObject({ orgUnitId: id });
});
