import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { deletedItems, mailImports } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { type ImportLease, leaseImport } from "#server/core/mailboxes/imports/import-leases.ts";
import {
  readImported,
  recordFolders,
  recordImported,
  recordMessageError,
} from "#server/core/mailboxes/imports/import-progress.ts";
import { startImports } from "#server/core/mailboxes/imports/imports.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { restoreDeleted } from "#server/core/operations/deleted-items/deleted-items.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

let dovecot: TestDovecot;

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});

afterAll(() => dovecot.stop());

const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

async function aRunningImport(ctx: Context, mailbox: string): Promise<ImportLease> {
  await startImports(ctx, owner, {
    host: "imap.example.net",
    port: 993,
    security: "tls",
    secretKind: "password",
    keepsSecret: true,
    accounts: [{ account: "ann", secret: "very secret", mailbox }],
  });
  return (await leaseImport(db()))!;
}

const MESSAGES = 100_000;
const PER_BATCH = 100;

test("a restored mailbox knows what was imported into it, and its imports are canceled without their passwords", async () => {
  const ctx = aContext((await aCompany()).id);
  const { address } = await aMailbox(await aDomain(ctx.companyId));
  const lease = await aRunningImport(ctx, address);
  const found = [{ source: "INBOX", target: "INBOX", messages: MESSAGES + 1 }];
  const [folder] = await recordFolders(db(), lease, found);
  const validities = { source: "1", target: "2" };
  await readImported(db(), folder!, validities);
  for (let first = 1; first < MESSAGES; first += PER_BATCH) {
    const messages = Array.from({ length: PER_BATCH }, (_, at) => ({
      sourceUid: 2 * (first + at),
      targetUid: first + at,
      flags: at % 3 === 0 ? "\\Seen" : "$Forwarded \\Answered \\Seen",
    }));
    await recordImported(db(), lease, folder!, { messages, bytes: 10, isNew: true });
  }
  await recordMessageError(db(), lease, folder!, { uid: 1_000_000, reason: "Broken" });
  const imported = await readImported(db(), folder!, validities);

  const { deletedId } = await deleteMailbox(ctx, address);
  const [kept] = await db()
    .select({
      text: sql<string>`contents::text`,
      stored: sql<number>`pg_column_size(contents)`,
    })
    .from(deletedItems)
    .where(eq(deletedItems.id, deletedId));
  expect(kept!.text).not.toContain(lease.sealedSecret);
  expect(kept!.stored).toBeLessThan(10 * MESSAGES);
  await restoreDeleted(ctx, deletedId);

  expect(await db().select().from(mailImports).where(eq(mailImports.id, lease.id))).toMatchObject([
    { mailbox: address, state: "canceled", sealedSecret: null, messagesImported: MESSAGES },
  ]);
  expect(await readImported(db(), folder!, validities)).toEqual(imported);
  expect(await db().execute(sql`select uid, reason from mail_import_errors`)).toMatchObject([
    { reason: "Broken" },
  ]);
});
