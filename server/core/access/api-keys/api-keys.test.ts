import { and, eq, isNotNull } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, apiKeys, auditEntries } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aContext, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import { aScheduledEmail, aSchedulingCompany, totalsOf } from "#server/testing/scheduled-emails.ts";

import { createApiKey, revokeAdminKeys } from "./api-keys.ts";

const revokedOf = (companyId: string) =>
  db().$count(apiKeys, and(eq(apiKeys.companyId, companyId), isNotNull(apiKeys.revokedAt)));

test("revokes and audits every key of the admin and cancels their scheduled emails", async () => {
  const sender = await aSchedulingCompany();
  const { companyId, key } = sender;
  const second = await anApiKey(companyId, { creatorId: key.creatorId });
  const waiting = [
    await aScheduledEmail(sender),
    await aScheduledEmail({ ...sender, key: second }),
  ];

  const revoked = await revokeAdminKeys(aContext(companyId), key.creatorId);

  expect(revoked.sort()).toEqual([key.id, second.id].sort());
  expect(await revokedOf(companyId)).toBe(2);
  for (const id of waiting) expect(await historyOf(id)).toEqual(["scheduled", "canceled"]);
  expect(await totalsOf(companyId)).toEqual({ hour: 0, month: 0, scheduled: 0 });
  const entries = await db()
    .select({ details: auditEntries.details })
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "api_key.revoked")));
  expect(entries.map(({ details }) => details.keyId).sort()).toEqual([key.id, second.id].sort());
});

test("leaves other admins' keys and scheduled emails unchanged", async () => {
  const [sender, other] = [await aSchedulingCompany(), await aSchedulingCompany()];
  const colleague = await anApiKey(sender.companyId);
  const waiting = await aScheduledEmail({ ...sender, key: colleague });

  await revokeAdminKeys(aContext(sender.companyId), sender.key.creatorId);
  expect(await revokeAdminKeys(aContext(sender.companyId), other.key.creatorId)).toEqual([]);

  expect(await historyOf(waiting)).toEqual(["scheduled"]);
  expect(await revokedOf(sender.companyId)).toBe(1);
  expect(await revokedOf(other.companyId)).toBe(0);
});

test("does nothing for an admin without keys", async () => {
  const { companyId } = await aSchedulingCompany();
  const { id } = await anAdmin(companyId);

  expect(await revokeAdminKeys(aContext(companyId), id)).toEqual([]);
});

test("also revokes a key that is being created at that moment", async () => {
  const { companyId, key } = await aSchedulingCompany();
  const input = { creatorId: key.creatorId, name: "Late", permission: "full_access" } as const;

  const { made, revoking } = await db().transaction(async (tx) => {
    const made = await createApiKey(
      { ...aContext(companyId), db: tx },
      { ...input, domainId: null },
    );
    const revoking = revokeAdminKeys(aContext(companyId), key.creatorId);
    await untilBlocked();
    return { made, revoking };
  });

  expect(await revoking).toContain(made.id);
});

test("rejects a new key for an admin who is being removed", async () => {
  const { id: companyId } = await aCompany();
  const { id: creatorId } = await anAdmin(companyId);
  const input = { creatorId, name: "Late", permission: "full_access", domainId: null } as const;

  const making = await db().transaction(async (tx) => {
    await tx.delete(admins).where(eq(admins.id, creatorId));
    const making = createApiKey(aContext(companyId), input);
    making.catch(() => undefined);
    await untilBlocked();
    return [making];
  });

  await expect(making[0]).rejects.toMatchObject({ reason: "invalid_permission" });
});
