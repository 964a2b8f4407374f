import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { auditEntries, auditHeads } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { acceptBreaks } from "./accept-breaks.ts";
import { type AuditHead, getHead } from "./audit-head.ts";
import { continueVerification } from "./continue-verification.ts";
import { deleteOldAudit } from "./delete-old-audit.ts";
import { eraseFromAudit } from "./erase-from-audit.ts";
import { recordAudit, recordAudits } from "./record-audit.ts";
import { sealAudit } from "./seal-audit.ts";
import { verifyStoredAudit } from "./verify-stored-audit.ts";

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
const verify = (known?: AuditHead[]) => verifyStoredAudit(ctx, known);
const accept = (known?: AuditHead[]) =>
  acceptBreaks(ctx, { reason: " Repaired ", ...(known && { known }) });
const sealedEntries = () =>
  db().$count(auditEntries, sql`${ofCompany()} and ${auditEntries.sequence} is not null`);
const problem = async (known?: AuditHead[]) => (await verify(known)).problem;
const head = async () => (await getHead(ctx))!.head!;
const ofCompany = () => eq(auditEntries.companyId, ctx.companyId);
const inCompany = (sequence: number) =>
  sql`${ofCompany()} and ${auditEntries.sequence} = ${sequence}`;
const change = (sequence: number, values: object) =>
  db().update(auditEntries).set(values).where(inCompany(sequence));
const entry = async (sequence: number) =>
  (await db().select().from(auditEntries).where(inCompany(sequence)))[0]!;
const ofHead = () => eq(auditHeads.companyId, ctx.companyId);
const setHead = (signature: string) => db().update(auditHeads).set({ signature }).where(ofHead());
/** Makes the company's first entries old, in the way of a database that was installed long ago. */
const age = async (count: number) => {
  await add(count, "old");
  await db()
    .update(auditEntries)
    .set({ createdAt: sql`${auditEntries.createdAt} - interval '31 days'` })
    .where(ofCompany());
};

test("seals entries in batches, in the order of their time, and verifies them", async () => {
  await add(5);
  expect(await verify()).toMatchObject({ entries: 5, sealed: 0, head: null, problem: null });
  expect(await sealAudit(db(), 2)).toBeGreaterThanOrEqual(5);
  await add(1);
  expect(await verify()).toMatchObject({ entries: 6, sealed: 5, problem: null });
  await sealAudit(db());
  expect(await verify()).toMatchObject({ entries: 6, sealed: 6, problem: null });
  expect(await head()).toMatchObject({ companyId: ctx.companyId, sequence: 6, deleted: null });
  const sealed = await db()
    .select()
    .from(auditEntries)
    .where(ofCompany())
    .orderBy(auditEntries.sequence);
  expect(sealed.map(({ id }) => id)).toEqual(
    sealed.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(({ id }) => id),
  );
});

test.each<[string, () => unknown, object]>([
  [
    "a changed detail",
    () => change(3, { details: { name: "other" } }),
    { kind: "changed", sequence: 3 },
  ],
  [
    "a changed actor",
    () => change(1, { actor: "eve@there.test" }),
    { kind: "changed", sequence: 1 },
  ],
  [
    "a changed time",
    () => change(2, { createdAt: "2026-01-01T00:00:00Z" }),
    { kind: "changed", sequence: 2 },
  ],
  [
    "a deleted entry",
    () => db().delete(auditEntries).where(inCompany(2)),
    { kind: "missing", sequence: 2 },
  ],
  [
    "a deleted end",
    () => db().delete(auditEntries).where(inCompany(5)),
    { kind: "missing", sequence: 5 },
  ],
  [
    "an inserted entry at the end",
    async () =>
      db()
        .insert(auditEntries)
        .values({ ...(await entry(5)), id: crypto.randomUUID(), sequence: 6 }),
    { kind: "inserted", sequence: 6 },
  ],
  [
    "swapped entries",
    async () => {
      await change(2, { sequence: 99 });
      await change(3, { sequence: 2 });
      await change(99, { sequence: 3 });
    },
    { kind: "order", sequence: 2 },
  ],
  [
    "a claimed erasure",
    () => change(4, { details: {}, erasure: "e30.e30.AA" }),
    { kind: "changed", sequence: 4 },
  ],
  ["a deleted head", () => db().delete(auditHeads).where(ofHead()), { kind: "signature" }],
  [
    "a forged head",
    async () => {
      const [header, , signature] = (await head()).signature.split(".");
      const claims = { company_id: ctx.companyId, sequence: 4 };
      const forged = Buffer.from(JSON.stringify(claims)).toString("base64url");
      await setHead(`${header!}.${forged}.${signature!}`);
    },
    { kind: "signature" },
  ],
])("detects %s", async (_, tamper, found) => {
  await add(5);
  await sealAudit(db());
  expect(await problem()).toBeNull();
  await tamper();
  expect(await problem()).toMatchObject(found);
  // Sealing more entries doesn't make it valid.
  await add(1);
  await sealAudit(db());
  expect(await problem()).toMatchObject(found);

  await accept();
  expect(await problem()).toBeNull();
  await sealAudit(db());
  await add(1);
  await sealAudit(db());
  expect(await verify()).toMatchObject({ entries: await sealedEntries(), problem: null });
  await expect(accept()).rejects.toThrow("nothing to accept");
  await change(1, { actor: "mallory@there.test" });
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 1 });
});

test("detects a chain rewritten from an entry to its end", async () => {
  await add(3);
  await sealAudit(db());
  const { chainHash, contentHash } = await import("./entry-hash.ts");
  let { hash: previous } = await entry(1);
  for (const sequence of [2, 3]) {
    const forged = { ...(await entry(sequence)), actor: "eve@there.test" };
    const content = contentHash(forged, forged.salt!);
    previous = chainHash(previous!, content);
    await change(sequence, { actor: forged.actor, contentHash: content, hash: previous });
  }
  expect(await problem()).toMatchObject({ kind: "signature", sequence: 3 });
  await accept();
  await sealAudit(db());
  expect(await verify()).toMatchObject({
    problem: null,
    accepted: [{ kind: "signature", sequence: 3, reason: "Repaired" }],
  });
});

test("another company's head isn't valid, and its entries aren't counted", async () => {
  await add(2);
  const other = aContext((await aCompany()).id);
  await recordAudit(other, "domain.added", {});
  await sealAudit(db());
  expect(await verify()).toMatchObject({ entries: 2, problem: null });
  const { signature } = (await getHead(other))!.head!;
  await setHead(signature);
  expect(await problem()).toMatchObject({ kind: "signature" });
});

test("entries recorded while sealing runs are all sealed, once", async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      await add(20, `writer ${n}`);
      await sealAudit(db(), 7);
    }),
  );
  await sealAudit(db());
  expect(await verify()).toMatchObject({ entries: 160, sealed: 160, problem: null });
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
  const before = await head();
  await deleteOldAudit(db(), 30);
  expect(await verify([before])).toMatchObject({ entries: 2, sealed: 2, problem: null });
  expect(await head()).toMatchObject({ sequence: 5, deleted: { sequence: 3 } });
  await db().delete(auditEntries).where(inCompany(4));
  expect(await problem()).toMatchObject({ kind: "missing", sequence: 4 });
});

test("a head saved before what retention deleted can't be verified, unless a head at the chain's start was saved too", async () => {
  await age(2);
  await sealAudit(db());
  const first = await head();
  await age(1);
  await sealAudit(db());
  const start = await head();
  await add(1);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  expect(await problem([first])).toMatchObject({ kind: "deleted", sequence: 2 });
  expect(await problem([first, start])).toBeNull();
  // A forged start.
  expect(await problem([first, { ...start, hash: first.hash }])).toMatchObject({ kind: "fork" });
});

test("two known heads with the same sequence and different hashes are a fork", async () => {
  await add(3);
  await sealAudit(db());
  const saved = await head();
  const other = { ...saved, hash: Buffer.alloc(32) };
  for (const known of [
    [saved, other],
    [other, saved],
  ])
    expect(await problem(known)).toMatchObject({ kind: "fork", sequence: 3 });
});

test("retention that deletes an inserted entry leaves the chain's start where it was", async () => {
  await age(2);
  await sealAudit(db());
  const old = await entry(1);
  await add(1);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  await db().insert(auditEntries).values(old);
  await deleteOldAudit(db(), 30);
  expect((await head()).deleted!.sequence).toBe(2);
  expect(await problem()).toBeNull();
});

test("retention can delete all entries, and the chain continues", async () => {
  await age(3);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  expect(await verify()).toMatchObject({ entries: 0, problem: null });
  await add(1);
  await sealAudit(db());
  expect(await verify()).toMatchObject({ entries: 1, problem: null });
  expect((await head()).sequence).toBe(4);
});

test("an entry inserted where retention deleted is detected", async () => {
  await age(2);
  await sealAudit(db());
  const old = await entry(1);
  await add(1);
  await sealAudit(db());
  await deleteOldAudit(db(), 30);
  await db().insert(auditEntries).values(old);
  expect(await problem()).toMatchObject({ kind: "inserted", sequence: 1 });
});

test("an erased entry verifies, can be erased again, and can't be changed", async () => {
  await add(1, "ann@there.test and zoe@there.test");
  await sealAudit(db());
  const erase = (address: string) =>
    eraseFromAudit(db(), { pattern: address, pseudonym: "erased@erased.invalid" });
  const { salt, contentHash } = await entry(1);
  expect(await erase("ann@there.test")).toBe(1);
  expect(await erase("zoe@there.test")).toBe(1);
  expect(await verify()).toMatchObject({ erased: 1, problem: null });
  const erased = await entry(1);
  expect(erased.details.name).toBe("erased@erased.invalid and erased@erased.invalid 0");
  expect(erased.contentHash).toEqual(contentHash);
  expect(erased.salt).not.toEqual(salt);
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

test("a head saved before a restore shows the fork", async () => {
  await add(2);
  await sealAudit(db());
  const backup = await head();
  await add(1);
  await sealAudit(db());
  const saved = await head();
  // The database as it was in the backup.
  await db().delete(auditEntries).where(inCompany(3));
  await setHead(backup.signature);
  expect(await problem([saved])).toMatchObject({ kind: "fork", sequence: 3 });
  await add(2);
  await sealAudit(db());
  expect(await problem()).toBeNull();
  expect(await problem([backup])).toBeNull();
  expect(await problem([saved])).toMatchObject({ kind: "fork", sequence: 3 });
  expect(await accept([backup, saved])).toMatchObject([{ kind: "fork", sequence: 3 }]);
  expect(await verify([backup, saved])).toMatchObject({
    problem: null,
    accepted: [{ kind: "fork", sequence: 3, reason: "Repaired" }],
  });
  const other = { ...saved, hash: Buffer.alloc(32) };
  expect(await problem([other])).toMatchObject({ kind: "fork", sequence: 3 });
});

test("the daily verification continues where it ended, and finds and clears a problem", async () => {
  await add(5);
  await sealAudit(db());
  const known = async () => (await db().select().from(auditHeads).where(ofHead()))[0]!;
  await continueVerification(db(), 2);
  expect(await known()).toMatchObject({ verifiedSequence: 2, problem: null });
  const { details } = await entry(4);
  await change(4, { details: {} });
  await continueVerification(db(), 2);
  expect(await known()).toMatchObject({
    ...{ verifiedSequence: 0, problem: "Entry 4 was changed after it was sealed" },
  });
  await change(4, { details });
  await continueVerification(db(), 2);
  expect(await known()).toMatchObject({ verifiedSequence: 0, problem: null });
});
