import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { and, eq, isNull, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import { auditEntries } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { deleteOldAudit } from "#server/core/shared/audit/delete-old-audit.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { getHead, requireHead } from "#server/core/shared/audit/audit-head.ts";
import { sealAudit } from "#server/core/shared/audit/seal-audit.ts";
import { verifyAuditFile } from "#server/core/shared/audit/verify-audit-file.ts";
import { signingKeys, toJwk } from "#server/core/shared/signatures/signing-key.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";

import { auditConsole } from "./audit/console.ts";

type Entry = Record<string, unknown>;

let cookie: string;
let ownId: string;
beforeAll(async () => {
  const { id } = await aCompany();
  ownId = id;
  cookie = await startSession(db(), (await anAdmin(id, { isOwner: true })).id);
  for (const name of ["Zoë", "b", "c"])
    await recordAudit(aContext(id), "domain.added", {
      ...{ name, nested: { z: [1, 2.5, null], "a b": true }, ä: "é", B: 1e21 },
    });
  await sealAudit(db());
  await recordAudit(aContext(id), "domain.added", { name: "unsealed" });
});

const exported = async (query: Record<string, string> = {}) => {
  const { body } = await call(auditConsole.export, { cookie, query: { format: "json", ...query } });
  return JSON.parse(String(body)) as Entry[];
};
const verify = (entries: Entry[], keys = signingKeys()) =>
  verifyAuditFile(JSON.stringify(entries), keys);

test.each(["created", "-created"])(
  "an export sorted by %s can be verified offline",
  async (sort) => {
    expect(await verify(await exported({ sort }))).toMatchObject({
      ...{ entries: 4, sealed: 3, problem: null },
    });
  },
);

test.each<[string, (entries: Entry[]) => Entry[], object]>([
  [
    "changed",
    ([a, ...rest]) => [{ ...a, actor: "eve" }, ...rest],
    { kind: "changed", sequence: 1 },
  ],
  ["missing", ([, ...rest]) => rest, { kind: "missing", sequence: 1 }],
  ["inserted", ([a, ...rest]) => [a!, a!, ...rest], { kind: "inserted", sequence: 1 }],
  [
    "moved",
    ([a, b, ...rest]) => [{ ...a, sequence: 2 }, { ...b, sequence: 1 }, ...rest],
    { kind: "order", sequence: 1 },
  ],
])("a %s entry in the file is detected", async (_, tamper, problem) => {
  const { problem: found } = await verify(tamper(await exported({ sort: "created" })));
  expect(found).toMatchObject(problem);
});

test("rejects files without a head, of another key, or without hashes", async () => {
  await expect(verify(await exported({ search: "Zoë" }))).rejects.toThrow("no signed head");
  const other = { keys: [toJwk(Buffer.alloc(32, 7).toString("base64url"))] };
  await expect(verify(await exported(), other)).rejects.toThrow("signed with another key");
  await expect(verify([{ id: "1" }])).rejects.toThrow(
    "isn't a JSON export of an audit log, or it has no hashes",
  );
});

test("the list has the signed head of the own company only", async () => {
  const { body } = await call(auditConsole.list, { cookie });
  const { head } = body as { head: { sequence: number; signature: string } };
  expect(requireHead(head.signature, signingKeys()).sequence).toBe(3);
  expect(head.sequence).toBe(3);
  const stranger = await anAdmin((await aCompany()).id, { isOwner: true });
  const others = await call(auditConsole.list, { cookie: await startSession(db(), stranger.id) });
  expect(others.body).toMatchObject({ data: [], head: null });
});

test("an export during which entries are sealed has the head of its beginning", async () => {
  const ctx = aContext((await aCompany()).id);
  const add = (count: number) =>
    recordAudits(
      ctx,
      "domain.added",
      Array.from({ length: count }, () => ({})),
    );
  await add(500);
  await sealAudit(db());
  // Sealed last, and the oldest: it is on the second page.
  const late = { createdAt: sql`${auditEntries.createdAt} - interval '1 hour'` };
  await add(1);
  await db()
    .update(auditEntries)
    .set(late)
    .where(and(eq(auditEntries.companyId, ctx.companyId), isNull(auditEntries.sequence)));
  await sealAudit(db());
  const query = { format: "json", sort: { by: "created", direction: "descending" } };
  const { content } = await auditConsole.export.handle({ ctx, query } as never);
  await add(1);
  await sealAudit(db());
  expect(await verifyAuditFile(await text(content as Readable), signingKeys())).toMatchObject({
    sealed: 501,
    problem: null,
  });
});

test.each(["descending", "ascending"])(
  "a %s export during which retention deletes entries can be verified",
  async (direction) => {
    const ctx = aContext((await aCompany()).id);
    const ofCompany = eq(auditEntries.companyId, ctx.companyId);
    const add = (count: number) =>
      recordAudits(
        ctx,
        "domain.added",
        Array.from({ length: count }, () => ({})),
      );
    await add(700);
    await db()
      .update(auditEntries)
      .set({ createdAt: sql`${auditEntries.createdAt} - interval '31 days'` })
      .where(ofCompany);
    await sealAudit(db());
    await add(100);
    await sealAudit(db());
    const query = { format: "json", sort: { by: "created", direction } };
    const { content } = await auditConsole.export.handle({ ctx, query } as never);
    await deleteOldAudit(db(), 30);
    const file = await text(content as Readable);
    expect(await verifyAuditFile(file, signingKeys())).toMatchObject({
      sealed: 100,
      problem: null,
    });
    const without = (JSON.parse(file) as Entry[]).filter(({ sequence }) => sequence !== 750);
    expect((await verify(without)).problem).toMatchObject({ kind: "missing", sequence: 750 });
  },
);

test("saved heads that all belong to other companies are an error", async () => {
  const other = aContext((await aCompany()).id);
  await recordAudit(other, "domain.added", {});
  await sealAudit(db());
  const file = JSON.stringify(await exported());
  const headOf = async ({ companyId }: { companyId: string }) =>
    (await getHead({ db: db(), companyId }))!.head!;
  const own = await headOf({ companyId: ownId });
  const foreign = await headOf(other);
  await expect(verifyAuditFile(file, signingKeys(), [foreign])).rejects.toThrow(
    `This is the audit log of company ${ownId}, but none of the saved heads belongs to that company`,
  );
  const { problem } = await verifyAuditFile(file, signingKeys(), [foreign, own]);
  expect(problem).toBeNull();
});
