import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { AUDIT_AREAS, type AuditFilter, listAudit } from "./list-audit.ts";

const FIRST = { limit: 20, after: null, before: null };
let ctx: Context;

beforeAll(async () => {
  const { id: companyId } = await aCompany();
  ctx = aContext(companyId);
  const other = (await aCompany()).id;
  const at = (day: number) => `2026-03-0${day}T12:00:00Z`;
  await db()
    .insert(auditEntries)
    .values([
      entry(
        companyId,
        "ann@example.com",
        "admin",
        "mailbox.updated",
        { mailbox: "Ben@x.test" },
        at(1),
      ),
      entry(companyId, "API key Shop", "api_key", "alias.added", { alias: "100%@x.test" }, at(2)),
      entry(companyId, "ben@x.test", "mailbox", "app_password.created", { name: "Phone" }, at(3)),
      entry(companyId, "system", "system", "domain.expired", { name: "x.test" }, at(4)),
      entry(other, "ann@example.com", "admin", "domain.added", { name: "other.test" }, at(5)),
    ]);
});

const entry = (
  companyId: string,
  actor: string,
  actorKind: string,
  action: string,
  details: Record<string, unknown>,
  createdAt: string,
) => ({ companyId, actor, actorKind, action, details, createdAt });

const actionsOf = async (filter: AuditFilter) =>
  (await listAudit(ctx, FIRST, filter)).rows.map(({ action }) => action);

test("lists the company's own entries, newest first", async () => {
  expect(await actionsOf({})).toEqual([
    "domain.expired",
    "app_password.created",
    "alias.added",
    "mailbox.updated",
  ]);
});

test.each<[AuditFilter, string[]]>([
  [{ actorKind: "api_key" }, ["alias.added"]],
  [{ actor: "ann@example.com" }, ["mailbox.updated"]],
  [{ area: "mailboxes" }, ["app_password.created", "alias.added", "mailbox.updated"]],
  [{ search: "BEN@x" }, ["app_password.created", "mailbox.updated"]],
  [{ search: "100%@" }, ["alias.added"]],
  [{ search: "%" }, ["alias.added"]],
  [{ search: "a\0lias" }, ["alias.added"]],
  [
    { from: "2026-03-02T12:00:00Z", to: "2026-03-04T12:00:00Z" },
    ["app_password.created", "alias.added"],
  ],
  [{ area: "domains", to: "2026-03-04T12:00:00Z" }, []],
])("%j", async (filter, actions) => {
  expect(await actionsOf(filter)).toEqual(actions);
});

test("rejects a cursor of another company's entry", async () => {
  const [foreign] = await db()
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(sql`${auditEntries.action} = 'domain.added'`);
  await expect(listAudit(ctx, { ...FIRST, after: foreign!.id })).rejects.toMatchObject({
    reason: "invalid",
  });
});

test("has separate actions for every area", () => {
  const nouns = Object.values(AUDIT_AREAS).flat();
  expect(new Set(nouns).size).toBe(nouns.length);
});
