import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import { aTrackedEmail } from "#server/testing/tracking-server.ts";

import { findVisitedEmail, recordVisit, type Visit } from "./visits.ts";

const reader = { ipAddress: "192.0.2.1", userAgent: null };
const open = (emailId: string): Visit => ({ type: "opened", link: null, emailId, ...reader });

const click = (emailId: string, link: string): Visit => ({
  type: "clicked",
  link,
  emailId,
  ...reader,
});

/** Connections to this test's database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await db().execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row!.count;
}

describe("concurrent visits", () => {
  test.each([
    ["opens", (id: string) => open(id), ["sent", "opened"]],
    ["clicks on one link", (id: string) => click(id, "https://a.example/"), ["sent", "clicked"]],
  ])("count as one event: %s", async (_, visitOf, history) => {
    const { id } = await aTrackedEmail();
    const recording: Promise<void>[] = [];

    await db().transaction(async (tx) => {
      await tx.execute(sql`select from emails where id = ${id}::uuid for update`);
      for (let i = 0; i < 6; i++) recording.push(recordVisit(db(), visitOf(id)));
      await expect.poll(waiting).toBe(6);
    });
    await Promise.all(recording);

    expect(await historyOf(id)).toEqual(history);
  });

  test("to two links count as two events, and an open as a third", async () => {
    const { id } = await aTrackedEmail();
    const visits = [click(id, "https://a.example/"), click(id, "https://b.example/"), open(id)];
    await Promise.all([...visits, ...visits].map((visit) => recordVisit(db(), visit)));
    expect((await historyOf(id)).sort()).toEqual(["clicked", "clicked", "opened", "sent"]);
  });
});

test("ignores another visit in the same minute without a write", async () => {
  const { id } = await aTrackedEmail();
  expect(await findVisitedEmail(db(), open(id))).toMatchObject({ counts: true });
  await recordVisit(db(), open(id));
  expect(await findVisitedEmail(db(), open(id))).toMatchObject({ counts: false });
  expect(await findVisitedEmail(db(), click(id, "https://a.example/"))).toMatchObject({
    counts: true,
  });
});

test("records no event for an unknown email", async () => {
  const id = "0190f3c2-7a77-7000-8000-0123456789ab";
  await recordVisit(db(), open(id));
  expect(await findVisitedEmail(db(), open(id))).toBeNull();
  expect(await historyOf(id)).toEqual([]);
});

test("looks up earlier visits with an index, however long the history", async () => {
  const { id, sender } = await aTrackedEmail();
  await db().execute(sql`
    insert into email_events (email_id, company_id, type, created_at)
    select ${id}::uuid, ${sender.companyId}::uuid, 'opened',
      clock_timestamp() - n * interval '1 minute'
    from generate_series(2, 20000) n`);
  await db().execute(sql`analyze email_events`);

  const read = await db().transaction(async (tx) => {
    // Also counts what the connection's last transactions read, hence the difference.
    const rowsRead = async () => {
      const [row] = await tx.execute<{ count: number }>(sql`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count
        from pg_stat_xact_user_tables where relname = 'email_events'`);
      return row!.count;
    };
    const before = await rowsRead();
    expect(await findVisitedEmail(tx, open(id))).toMatchObject({ counts: true });
    return (await rowsRead()) - before;
  });
  expect(read).toBeLessThan(10);
});
