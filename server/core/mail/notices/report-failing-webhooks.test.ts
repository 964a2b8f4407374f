import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhooks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aWebhook } from "#server/testing/factories.ts";

import { reportFailingWebhooks } from "./trouble-reports.ts";

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** The webhooks with a pending notice, with duplicates. */
async function reported(): Promise<unknown[]> {
  const rows = await db().execute<{ webhookId: string }>(sql`
    select payload -> 'notice' ->> 'webhookId' as "webhookId"
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice'`);
  return rows.map(({ webhookId }) => webhookId);
}

test("reports enabled webhooks that have failed for a day, once", async () => {
  const { id: companyId } = await aCompany();
  const failing = await aWebhook(companyId, { failures: 9, failingSince: hoursAgo(24.1) });
  const fresh = await aWebhook(companyId, { failures: 9, failingSince: hoursAgo(23.9) });
  const fine = await aWebhook(companyId);
  const disabled = await aWebhook(companyId, { status: "disabled", failingSince: hoursAgo(48) });
  const told = await aWebhook(companyId, { failingSince: hoursAgo(48), noticedAt: hoursAgo(20) });

  await Promise.all([reportFailingWebhooks(db()), reportFailingWebhooks(db())]);
  await reportFailingWebhooks(db());

  expect(await reported()).toEqual([failing.id]);
  const [row] = await db().select().from(webhooks).where(eq(webhooks.id, failing.id));
  expect(row!.noticedAt).not.toBeNull();
  for (const { id, noticedAt } of [fresh, fine, disabled, told]) {
    const [row] = await db().select().from(webhooks).where(eq(webhooks.id, id));
    expect(row!.noticedAt).toBe(noticedAt);
  }
});
