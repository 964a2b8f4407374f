import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { mailImports } from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import {
  eraseOldSecrets,
  ImportStopped,
  leaseImport,
  renewLease,
  retryImport,
} from "./import-leases.ts";
import {
  cancelImport,
  getImport,
  type GivenAccount,
  listImports,
  repeatImport,
  startImports,
} from "./imports.ts";

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
let ctx: Context;
let [inSales, elsewhere] = ["", ""];
let ofSales: typeof OWNER;

beforeEach(async () => {
  await db().delete(mailImports);
  const { id: companyId } = await aCompany();
  ctx = aContext(companyId);
  const domain = await aDomain(companyId);
  const sales = await createUnit(ctx, { parentId: null, name: "Sales" });
  inSales = (await aMailbox(domain, { orgUnitId: sales })).address;
  elsewhere = (await aMailbox(domain)).address;
  const role = { privileges: ["view_users", "update_users"], units: [sales] };
  ofSales = effectivePrivileges({ isOwner: false, privileges: [], roles: [role] });
});

const start = (held: typeof OWNER, ...accounts: Partial<GivenAccount>[]) =>
  startImports(ctx, held, {
    host: "IMAP.example.net.",
    port: 993,
    security: "tls",
    secretKind: "password",
    keepsSecret: true,
    accounts: accounts.map((given) => ({
      account: "ann",
      secret: "very secret",
      mailbox: inSales,
      ...given,
    })),
  });

test("a role for one unit imports into its mailboxes only, and sees no other imports", async () => {
  const [hidden] = await start(OWNER, { mailbox: elsewhere });
  await expect(start(ofSales, {}, { mailbox: elsewhere })).rejects.toMatchObject({
    reason: "invalid_permission",
  });
  expect(await listImports(ctx, ofSales)).toEqual([]);
  const [id] = await start(ofSales, { mailbox: inSales.toUpperCase() });
  expect(await listImports(ctx, ofSales)).toMatchObject([
    { id, mailbox: inSales, host: "imap.example.net", state: "queued" },
  ]);
  await expect(getImport(ctx, ofSales, hidden!)).rejects.toMatchObject({ reason: "not_found" });
  for (const change of [cancelImport, repeatImport])
    await expect(change(ctx, ofSales, hidden!)).rejects.toMatchObject({
      reason: "invalid_permission",
    });
});

test("seals the password, and erases it when the import is canceled or ended long ago", async () => {
  const [id] = await start(OWNER, {});
  const stored = async () => {
    const [row] = await db().select().from(mailImports).where(eq(mailImports.id, id!));
    return row!;
  };
  expect(JSON.stringify(await stored())).not.toContain("very secret");
  await cancelImport(ctx, OWNER, id!);
  expect(await stored()).toMatchObject({ state: "canceled", sealedSecret: null });
  await expect(repeatImport(ctx, OWNER, id!)).rejects.toMatchObject({
    reason: "missing_required_field",
  });
  await repeatImport(ctx, OWNER, id!, { secret: "another secret" });
  expect(await stored()).toMatchObject({ state: "queued" });

  const ended = (days: number) =>
    db()
      .update(mailImports)
      .set({ state: "done", finishedAt: sql`now() - make_interval(days => ${days})` })
      .where(eq(mailImports.id, id!));
  await ended(13);
  await eraseOldSecrets(db(), 14);
  expect((await stored()).sealedSecret).not.toBeNull();
  await ended(15);
  await eraseOldSecrets(db(), 14);
  expect((await stored()).sealedSecret).toBeNull();
});

test("ends an import that only failed for two weeks, and erases its password", async () => {
  const [failing, waiting] = await start(OWNER, {}, { account: "bob" });
  const lease = await leaseImport(db());
  expect(lease).toMatchObject({ id: failing });
  await retryImport(db(), lease!, { problem: "The server is limiting requests", delayMs: 1_000 });
  const age = (days: number) =>
    db()
      .update(mailImports)
      .set({ progressedAt: sql`now() - make_interval(days => ${days})` });
  await age(13);
  await eraseOldSecrets(db(), 14);
  expect(await getImport(ctx, OWNER, failing!)).toMatchObject({ state: "queued", hasSecret: true });
  await age(15);
  await eraseOldSecrets(db(), 14);
  expect(await getImport(ctx, OWNER, failing!)).toMatchObject({
    state: "failed",
    hasSecret: false,
    problem: "No message could be imported for 14 days. The server is limiting requests",
  });
  // Others are before it in the queue.
  expect(await getImport(ctx, OWNER, waiting!)).toMatchObject({ state: "queued", hasSecret: true });
  await repeatImport(ctx, OWNER, failing!, { secret: "another secret" });
  await eraseOldSecrets(db(), 14);
  expect(await getImport(ctx, OWNER, failing!)).toMatchObject({ state: "queued", hasSecret: true });
});

test("a running import that is started again waits until its lease would have ended", async () => {
  const [id] = await start(OWNER, {});
  const first = await leaseImport(db());
  expect(first).toMatchObject({ id });
  const leaseEnds = async () => {
    await expect(renewLease(db(), first!)).rejects.toThrow(ImportStopped);
    expect(await leaseImport(db())).toBeNull();
    const [row] = await db().select().from(mailImports).where(eq(mailImports.id, id!));
    expect(row).toMatchObject({ state: "queued", nextAttemptAt: first!.nextAttemptAt });
  };
  await start(OWNER, {});
  await leaseEnds();
  await cancelImport(ctx, OWNER, id!);
  await repeatImport(ctx, OWNER, id!, { secret: "another secret" });
  await leaseEnds();

  await db()
    .update(mailImports)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(mailImports.id, id!));
  const second = await leaseImport(db());
  expect(second).toMatchObject({ id, state: "running" });
  // The same process may have both.
  expect(second!.leasedBy).not.toBe(first!.leasedBy);
  await expect(renewLease(db(), first!)).rejects.toThrow(ImportStopped);
});

test("an import that waits for its next attempt starts at once when it is started again", async () => {
  const [id] = await start(OWNER, {});
  const lease = await leaseImport(db());
  await retryImport(db(), lease!, { problem: "The server closed the connection", delayMs: 60_000 });
  expect(await leaseImport(db())).toBeNull();
  await start(OWNER, {});
  expect(await leaseImport(db())).toMatchObject({ id });
});

test("names all invalid fields, and starts nothing then", async () => {
  const fieldsOf = (...accounts: Partial<GivenAccount>[]) =>
    start(OWNER, ...accounts).then(
      () => [],
      (error: unknown) => (error as Refusal).fields.map(({ path }) => path),
    );
  expect(await fieldsOf({}, { account: " " }, { secret: "a\r\nb" })).toEqual([
    "accounts[1].account",
    "accounts[2].secret",
  ]);
  expect(await fieldsOf({ mailbox: "nobody@example.com" }, { mailbox: "x" })).toEqual([
    "accounts[0].mailbox",
    "accounts[1].mailbox",
  ]);
  expect(await fieldsOf({}, { mailbox: ` ${inSales} ` })).toEqual(["accounts[1].account"]);
  expect(await listImports(ctx, OWNER)).toEqual([]);
});
