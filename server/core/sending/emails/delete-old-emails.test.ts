import { eq, inArray, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { emailAttachments, emailBodies, emails, outbox } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { clearBodies } from "./delete-old-emails.ts";

const daysAgo = (days: number) => sql`clock_timestamp() - make_interval(days => ${days})`;

test("deletes content three days after sending, in batches, and keeps what is still needed", async () => {
  const sender = await aSender();
  const old = await queuedEmails(
    sender,
    Array.from({ length: 1100 }, (_, i) => [`r${i}@a.example`]),
    { file: Buffer.from("Hello") },
  );
  const [waiting, scheduled, canceled, young] = old;
  await db()
    .update(emails)
    .set({ createdAt: daysAgo(4), sentAt: daysAgo(4) });
  await db()
    .update(emailBodies)
    .set({ createdAt: daysAgo(4) });
  await db()
    .delete(outbox)
    .where(sql`${outbox.emailId} <> ${waiting!}`);
  const change = (id: string, values: Partial<typeof emails.$inferInsert>) =>
    db().update(emails).set(values).where(eq(emails.id, id));
  await change(scheduled!, { sentAt: null, lastEvent: "scheduled" });
  await change(canceled!, { sentAt: null, lastEvent: "canceled" });
  await db()
    .update(emails)
    .set({ sentAt: daysAgo(2) })
    .where(eq(emails.id, young!));

  expect(await clearBodies(db(), 3)).toBe(1097);

  const left = await db().select({ id: emailBodies.emailId }).from(emailBodies);
  expect(left.map(({ id }) => id).sort()).toEqual([waiting, scheduled, young].sort());
  const files = await db().select({ id: emailAttachments.emailId }).from(emailAttachments);
  expect(files.map(({ id }) => id).sort()).toEqual([waiting, scheduled, young].sort());
  expect(await db().$count(emails)).toBe(1100);
  expect(await clearBodies(db(), 3)).toBe(0);
});

test("scans bodies that stay only once, however many batches follow", async () => {
  await db().delete(emails);
  const sender = await aSender();
  const to = (count: number) => Array.from({ length: count }, (_, i) => [`r${i}@a.example`]);
  const kept = await queuedEmails(sender, to(500));
  await db()
    .update(emailBodies)
    .set({ createdAt: daysAgo(5) })
    .where(inArray(emailBodies.emailId, kept));
  const old = await queuedEmails(sender, to(1_500));
  await db()
    .update(emails)
    .set({ createdAt: daysAgo(4), sentAt: daysAgo(4) });
  await db()
    .update(emailBodies)
    .set({ createdAt: daysAgo(4) })
    .where(inArray(emailBodies.emailId, old));
  await db().delete(outbox).where(inArray(outbox.emailId, old));

  await db().transaction(async (tx) => {
    // The indexes that Postgres uses for a large table.
    for (const plan of ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"])
      await tx.execute(sql.raw(`set local enable_${plan} = off`));
    const before = await lookupsOf(tx);
    expect(await clearBodies(tx, 3)).toBe(1_500);
    expect((await lookupsOf(tx)) - before).toBeLessThan(500 + 1_500 + 500);
  });
});

/** Rows of emails that the connection has looked up and not yet reported to the statistics. */
async function lookupsOf(tx: Db): Promise<number> {
  const [row] = await tx.execute<{ rows: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
    where relname = 'emails'`);
  return row!.rows;
}
