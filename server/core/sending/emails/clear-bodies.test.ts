import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { emailAttachments, emailBodies, emails, outbox } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { clearBodies } from "./clear-bodies.ts";

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
