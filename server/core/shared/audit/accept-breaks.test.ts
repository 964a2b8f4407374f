import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { auditEntries, auditHeads } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { acceptBreaks } from "./accept-breaks.ts";
import { ACCEPTANCE_ACTION } from "./acceptance.ts";
import { continueVerification } from "./continue-verification.ts";
import { deleteOldAudit } from "./delete-old-audit.ts";
import { recordAudit, recordAudits } from "./record-audit.ts";
import { sealAudit } from "./seal-audit.ts";
import { verifyStoredAudit } from "./verify-stored-audit.ts";

// Which breaks can be accepted is tested in audit-chain.test.ts.

let ctx: Context;
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
});

const add = (count: number) =>
  recordAudits(
    ctx,
    "domain.added",
    Array.from({ length: count }, () => ({})),
  );
const accept = () => acceptBreaks(ctx, { reason: "Repaired" });
const verify = () => verifyStoredAudit(ctx);
const problem = async () => (await verify()).problem;
const ofCompany = () => eq(auditEntries.companyId, ctx.companyId);
const inCompany = (sequence: number) =>
  sql`${ofCompany()} and ${auditEntries.sequence} = ${sequence}`;
const change = (sequence: number, values: object) =>
  db().update(auditEntries).set(values).where(inCompany(sequence));
const ofHead = () => eq(auditHeads.companyId, ctx.companyId);

test("verification reports accepted breaks, also if it runs in parts, until retention deletes their entries", async () => {
  await add(4);
  await db()
    .update(auditEntries)
    .set({ createdAt: sql`${auditEntries.createdAt} - interval '31 days'` })
    .where(ofCompany());
  await sealAudit(db());
  await add(2);
  await sealAudit(db());
  await db()
    .delete(auditEntries)
    .where(sql`${inCompany(2)} or ${inCompany(3)} or ${inCompany(6)}`);
  expect(await accept()).toMatchObject([
    { kind: "missing", sequence: 2, message: "Entries 2 to 3 are missing" },
    { kind: "missing", sequence: 6 },
  ]);
  await sealAudit(db());
  const accepted = [
    { kind: "missing", sequence: 2 },
    { kind: "missing", sequence: 6 },
  ];
  expect(await verify()).toMatchObject({ problem: null, accepted });
  for (let part = 0; part < 4; part++) {
    await continueVerification(db(), 1);
    const [row] = await db().select().from(auditHeads).where(ofHead());
    expect(row!.problem).toBeNull();
  }
  await deleteOldAudit(db(), 30);
  expect(await verify()).toMatchObject({ problem: null, accepted: accepted.slice(1) });
  // Only the state at that time was accepted.
  await db().delete(auditEntries).where(inCompany(5));
  expect(await problem()).toMatchObject({ kind: "missing", sequence: 5 });
});

test("an acceptance that this server didn't sign has no effect", async () => {
  await add(3);
  await sealAudit(db());
  await change(2, { actor: "eve@there.test" });
  await accept();
  const [entry] = await db()
    .delete(auditEntries)
    .where(sql`${ofCompany()} and ${auditEntries.action} = ${ACCEPTANCE_ACTION}`)
    .returning();
  const { details } = entry!;
  const statement = String(details.statement);
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 2 });
  const forge = (statement: string) =>
    recordAudit(ctx, ACCEPTANCE_ACTION, { ...details, statement });
  await forge(`${statement.slice(0, -8)}AAAAAAAA`);
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 2 });
  await forge(statement);
  expect(await problem()).toBeNull();
  await change(2, { actor: "mallory@there.test" });
  expect(await problem()).toMatchObject({ kind: "changed", sequence: 2 });
});

test("an acceptance waits for another one, and then has nothing to accept", async () => {
  await add(2);
  await sealAudit(db());
  await change(2, { actor: "eve@there.test" });
  let second: Promise<unknown> = Promise.resolve();
  await db().transaction(async (tx) => {
    await acceptBreaks({ ...ctx, db: tx }, { reason: "Repaired" });
    second = accept();
    second.catch(() => {});
    await untilBlocked();
  });
  await expect(second).rejects.toThrow("nothing to accept");
  await expect(acceptBreaks(ctx, { reason: " " })).rejects.toMatchObject({
    reason: "missing_required_field",
  });
});
