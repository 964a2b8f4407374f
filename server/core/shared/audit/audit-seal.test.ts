import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { auditEntries, auditSeals } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { sealAudit, verifyAudit } from "./audit-seal.ts";
import { deleteOldAudit, eraseFromAudit } from "./delete-audit.ts";
import { recordAudit, recordAudits } from "./record-audit.ts";

let ctx: Context;

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
});

const add = (count: number, name = "entry") =>
  recordAudits(
    ctx,
    "domain.added",
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, b: { d: 1.5, c: null } })),
  );

const verify = () => verifyAudit(ctx);
const problem = async () => (await verify()).problem;
const ofCompany = () => eq(auditEntries.companyId, ctx.companyId);

const inCompany = (sequence: number) =>
  sql`${ofCompany()} and ${auditEntries.sequence} = ${sequence}`;

const change = (sequence: number, values: object) =>
  db().update(auditEntries).set(values).where(inCompany(sequence));

const remove = (sequence: number) => db().delete(auditEntries).where(inCompany(sequence));

const entry = async (sequence: number) =>
  (await db().select().from(auditEntries).where(inCompany(sequence)))[0]!;

const ofRange = () => eq(auditSeals.companyId, ctx.companyId);
const range = async () => (await db().select().from(auditSeals).where(ofRange()))[0];

/** Records entries that are 31 days old. Must be the company's first. */
const age = async (count: number) => {
  await add(count, "old");
  await db()
    .update(auditEntries)
    .set({ createdAt: sql`${auditEntries.createdAt} - interval '31 days'` })
    .where(ofCompany());
};

test("seals entries in batches, in chronological order, and verifies them", async () => {
  await add(5);
  expect(await verify()).toEqual({ entries: 5, sealed: 0, problem: null });
  expect(await sealAudit(db(), 2)).toBeGreaterThanOrEqual(5);
  await add(1);
  expect(await verify()).toEqual({ entries: 6, sealed: 5, problem: null });
  await sealAudit(db());
  expect(await verify()).toEqual({ entries: 6, sealed: 6, problem: null });
  const sealed = await db()
    .select()
    .from(auditEntries)
    .where(ofCompany())
    .orderBy(auditEntries.sequence);
  expect(sealed.map(({ id }) => id)).toEqual(
    sealed.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(({ id }) => id),
  );
});

test.each<[string, () => unknown, [string, number | null]]>([
  ["a changed detail", () => change(3, { details: { name: "other" } }), ["changed", 3]],
  ["a changed actor", () => change(1, { actor: "eve@there.test" }), ["changed", 1]],
  ["a changed time", () => change(2, { createdAt: "2026-01-01T00:00:00Z" }), ["changed", 2]],
  ["a forged seal", () => change(4, { seal: Buffer.alloc(32) }), ["changed", 4]],
  ["a deleted entry", () => remove(2), ["missing", 2]],
  ["a deleted first entry", () => remove(1), ["missing", 1]],
  ["a deleted last entry", () => remove(5), ["missing", 5]],
  ["an unsealed entry", () => change(3, { sequence: null, seal: null }), ["missing", 3]],
  [
    "an entry inserted at the end",
    async () => {
      const copy = { ...(await entry(5)), id: crypto.randomUUID(), sequence: 6 };
      await db().insert(auditEntries).values(copy);
    },
    ["inserted", 6],
  ],
  [
    "swapped entries",
    async () => {
      await change(2, { sequence: 99 });
      await change(3, { sequence: 2 });
      await change(99, { sequence: 3 });
    },
    ["changed", 2],
  ],
  ["a deleted range", () => db().delete(auditSeals).where(ofRange()), ["range", null]],
  [
    "a changed range",
    async () => {
      await remove(5);
      await db().update(auditSeals).set({ last: 4 }).where(ofRange());
    },
    ["range", null],
  ],
])("detects %s", async (what, tamper, [kind, sequence]) => {
  await add(5);
  await sealAudit(db());
  expect(await problem()).toBeNull();
  await tamper();
  expect(await problem()).toMatchObject({ kind, sequence });
  // Sealing more entries doesn't make it valid.
  await add(1);
  await sealAudit(db());
  const isSealedAgain = what === "an entry inserted at the end";
  expect(await problem()).toMatchObject({ kind: isSealedAgain ? "changed" : kind, sequence });
});

test("another company's entries and range aren't valid, and its entries aren't counted", async () => {
  await add(2);
  const other = aContext((await aCompany()).id);
  await recordAudit(other, "domain.added", {});
  await sealAudit(db());
  expect(await verify()).toEqual({ entries: 2, sealed: 2, problem: null });
  const [foreign] = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, other.companyId));
  await remove(1);
  await db()
    .update(auditEntries)
    .set({ companyId: ctx.companyId })
    .where(eq(auditEntries.id, foreign!.id));
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 1 });
  const { first, last, seal } = (await range())!;
  await db()
    .update(auditSeals)
    .set({ first, last, seal })
    .where(eq(auditSeals.companyId, other.companyId));
  expect((await verifyAudit(other)).problem).toMatchObject({ kind: "range" });
});

test("entries recorded while sealing runs are all sealed, once", async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      await add(20, `writer ${n}`);
      await sealAudit(db(), 7);
    }),
  );
  await sealAudit(db());
  expect(await verify()).toEqual({ entries: 160, sealed: 160, problem: null });
});

test("an entry whose transaction commits late is sealed after newer ones", async () => {
  let sealed: number | undefined;
  await db().transaction(async (tx) => {
    await recordAudit({ ...ctx, db: tx }, "domain.added", { name: "late" });
    await add(2);
    await sealAudit(db());
    sealed = (await verify()).sealed;
  });
  expect(sealed).toBe(2);
  await sealAudit(db());
  expect(await verify()).toMatchObject({ sealed: 3, problem: null });
  expect((await entry(3)).details).toEqual({ name: "late" });
});

test("retention deletes from the start, and what is left verifies", async () => {
  await age(3);
  await sealAudit(db());
  await add(2);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  expect(await verify()).toEqual({ entries: 2, sealed: 2, problem: null });
  expect(await range()).toMatchObject({ first: 4, last: 5 });
  await remove(4);
  expect(await problem()).toMatchObject({ kind: "missing", sequence: 4 });
});

test("retention can delete all entries, and sealing continues", async () => {
  await age(3);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  expect(await verify()).toEqual({ entries: 0, sealed: 0, problem: null });
  await add(1);
  await sealAudit(db());
  expect(await verify()).toEqual({ entries: 1, sealed: 1, problem: null });
  expect(await range()).toMatchObject({ first: 4, last: 4 });
});

test("an entry inserted where retention deleted is detected until retention deletes it", async () => {
  await age(2);
  await sealAudit(db());
  const old = await entry(1);
  await add(1);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  await db().insert(auditEntries).values(old);
  expect(await problem()).toMatchObject({ kind: "inserted", sequence: 1 });
  await deleteOldAudit(db(), 30);
  expect(await range()).toMatchObject({ first: 3 });
  expect(await problem()).toBeNull();
});

test("an erased entry verifies, can be erased again, and can't be changed", async () => {
  await add(1, "ann@there.test and zoe@there.test");
  await sealAudit(db());
  const erase = (address: string) =>
    eraseFromAudit(db(), { pattern: address, pseudonym: "erased@erased.invalid" });
  expect(await erase("ann@there.test")).toBe(1);
  expect(await erase("zoe@there.test")).toBe(1);
  expect(await problem()).toBeNull();
  const erased = await entry(1);
  expect(erased.details.name).toBe("erased@erased.invalid and erased@erased.invalid 0");
  await change(1, { details: { name: "nothing" } });
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 1 });
});

test("an erasure doesn't make a changed entry valid", async () => {
  await add(1, "bob@there.test");
  await sealAudit(db());
  await change(1, { details: { name: "bob@there.test", amount: 1 } });
  await eraseFromAudit(db(), { pattern: "bob@there.test", pseudonym: "erased@erased.invalid" });
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 1 });
});
