import { expect, test } from "vitest";

import { auditEntries } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";

import { listOperators } from "#server/core/access/people/people.ts";

import { setOperator } from "./operators.ts";

test("grants and revokes operators idempotently", async () => {
  const ctx = aContext((await aCompany({ purpose: "platform" })).id);
  const { email } = await anAdmin((await aCompany()).id);

  for (const isOperator of [true, true])
    await setOperator(ctx, { email: email.toUpperCase(), isOperator });
  expect(await listOperators(db())).toEqual([email]);
  for (const isOperator of [false, false]) await setOperator(ctx, { email, isOperator });
  expect(await listOperators(db())).toEqual([]);

  const entries = await db().select().from(auditEntries).orderBy(auditEntries.createdAt);
  expect(entries).toMatchObject([
    { action: "operator.granted", details: { email } },
    { action: "operator.revoked" },
  ]);
});

test("an admin whose address isn't confirmed can't become an operator", async () => {
  const ctx = aContext((await aCompany({ purpose: "platform" })).id);
  const { id } = await aCompany({ name: "Northwind" });
  const { email } = await anAdmin(id, { emailProvenAt: null });
  await expect(setOperator(ctx, { email, isOperator: true })).rejects.toMatchObject({
    reason: "not_allowed",
    message: expect.stringMatching(/an admin of Northwind.*202\d/) as string,
  });
  expect(await listOperators(db())).not.toContain(email);
  await setOperator(ctx, { email, isOperator: false });
});

test("granting an unknown address fails", async () => {
  const ctx = aContext((await aCompany({ purpose: "platform" })).id);
  await expect(
    setOperator(ctx, { email: "unknown@example.com", isOperator: true }),
  ).rejects.toMatchObject({ reason: "not_found" });
});
