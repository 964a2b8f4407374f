import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { companies, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { inTransaction } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";
import { type Listeners, webhookListeners } from "#server/testing/webhook-listeners.ts";

import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import { publishEvent } from "./publish-event.ts";

const DOMAIN = { id: "01990000-0000-7000-8000-000000000000", name: 'b\u00fccher"\\.example' };

let companyId: string;
let listeners: Listeners;

beforeEach(async () => {
  companyId = (await aCompany()).id;
  listeners = await webhookListeners(companyId);
});

test("records what happened for the enabled webhooks of the company that subscribe to it", async () => {
  const now = new Date("2026-03-02T09:30:00.412Z");
  await publishEvent({ ...aContext(companyId), now: () => now }, "domain.created", DOMAIN);

  expect(await listeners.heard()).toMatchObject([
    {
      webhookId: listeners.all.id,
      companyId,
      type: "domain.created",
      status: "pending",
      isTest: false,
      attempts: 0,
      scheduled: 0,
      createdAt: "2026-03-02 09:30:00.412+00",
      nextAttemptAt: expect.any(String) as string,
      payload: { type: "domain.created", created_at: "2026-03-02T09:30:00.412Z", data: DOMAIN },
    },
  ]);
  expect(await listeners.overheard()).toEqual([]);
});

test.each(WEBHOOK_EVENT_TYPES)("%s is published to subscribed webhooks", async (type) => {
  await publishEvent(aContext(companyId), type, {});
  expect(await listeners.heard()).toMatchObject([{ type, payload: { type } }]);
});

test("records nothing if the change fails", async () => {
  const change = inTransaction(aContext(companyId), async (ctx) => {
    await publishEvent(ctx, "domain.deleted", DOMAIN);
    throw new Error("not after all");
  });
  await expect(change).rejects.toThrow("not after all");
  expect(await listeners.heard()).toEqual([]);
});

describe("a webhook that is deleted concurrently", () => {
  test("gets no event, and the change still happens", async () => {
    const { id } = listeners.all;
    let publishing = Promise.resolve();
    await db().transaction(async (tx) => {
      await tx.delete(webhooks).where(eq(webhooks.id, id));
      publishing = inTransaction(aContext(companyId), async (ctx) => {
        await ctx.db.update(companies).set({ name: "Changed" }).where(eq(companies.id, companyId));
        await publishEvent(ctx, "domain.created", DOMAIN);
      });
      await untilBlocked();
    });
    await publishing;

    expect(await db().$count(webhookEvents, eq(webhookEvents.companyId, companyId))).toBe(0);
    const [company] = await db().select().from(companies).where(eq(companies.id, companyId));
    expect(company!.name).toBe("Changed");
  });
});
