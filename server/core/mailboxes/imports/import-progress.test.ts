import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { mailImports } from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { type ImportLease, leaseImport } from "./import-leases.ts";
import {
  readImported,
  recordFolders,
  recordImported,
  recordMessageError,
} from "./import-progress.ts";
import { startImports } from "./imports.ts";

let lease: ImportLease;

beforeEach(async () => {
  await db().delete(mailImports);
  const { id: companyId } = await aCompany();
  const { address } = await aMailbox(await aDomain(companyId));
  const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
  await startImports(aContext(companyId), owner, {
    host: "imap.example.net",
    port: 993,
    security: "tls",
    secretKind: "password",
    keepsSecret: true,
    accounts: [{ account: "ann", secret: "very secret", mailbox: address }],
  });
  lease = (await leaseImport(db()))!;
});

test("records more messages at once than a statement can have parameters", async () => {
  const found = [{ source: "INBOX", target: "INBOX", messages: 70_000 }];
  const [folder] = await recordFolders(db(), lease, found);
  const validities = { source: "1", target: "2" };
  await readImported(db(), folder!, validities);
  const messages = Array.from({ length: 70_000 }, (_, at) => ({
    sourceUid: at + 1,
    targetUid: at + 10,
    flags: "\\Seen",
  }));
  await recordImported(db(), lease, folder!, { messages, bytes: 0, isNew: false });
  expect(await readImported(db(), folder!, validities)).toEqual(messages);
});

test("counts leases that expired as failures until messages are imported", async () => {
  const [folder] = await recordFolders(db(), lease, [
    { source: "INBOX", target: "INBOX", messages: 2 },
  ]);
  await db()
    .update(mailImports)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(mailImports.id, lease.id));
  const second = (await leaseImport(db()))!;
  expect(second.failures).toBe(1);
  const failures = async () => (await db().select().from(mailImports))[0]!.failures;
  // The same error can come again in each attempt.
  await recordMessageError(db(), second, folder!, { uid: 1, reason: "Broken" });
  expect(await failures()).toBe(1);
  const messages = [{ sourceUid: 2, targetUid: 1, flags: "" }];
  await recordImported(db(), second, folder!, { messages, bytes: 10, isNew: true });
  expect(await failures()).toBe(0);
});
