import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { webhookAttempts, webhooks } from "#drizzle/schema/index.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { db } from "#server/db/pool.ts";
import { aDeliverer } from "#server/testing/a-deliverer.ts";
import { attemptsOf, dueEvents } from "#server/testing/due-events.ts";
import { aCompany, aWebhook } from "#server/testing/factories.ts";
import { anHttpsReceiver, type HttpsReceiver } from "#server/testing/https-receiver.ts";

const receivers: HttpsReceiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await db().delete(webhooks);
});

async function anEndpoint(otherwise: "hang" | 200) {
  const receiver = await anHttpsReceiver([], { otherwise });
  receivers.push(receiver);
  return receiver;
}

/** Milliseconds from each event to its first attempt, for consecutive events. */
async function latencies(webhook: Awaited<ReturnType<typeof aWebhook>>, count: number) {
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const happenedAt = Date.now();
    const [id] = await dueEvents(webhook);
    wakeWebhooks(db());
    const attempts = await vi.waitFor(
      async () => {
        const attempts = await attemptsOf(id!);
        expect(attempts).toHaveLength(1);
        return attempts;
      },
      { interval: 20 },
    );
    found.push(Date.parse(attempts[0]!.sentAt) - happenedAt);
  }
  return found.sort((a, b) => a - b);
}

test.each([
  ["one endpoint that hangs", 1, 2000],
  ["forty endpoints that hang, in companies of their own", 40, 50],
])(
  "2,000 events waiting for %s do not delay another webhook's events",
  async (_what, endpoints, each) => {
    const healthy = await aWebhook((await aCompany()).id, {
      endpoint: (await anEndpoint(200)).url,
    });
    const hanging = await anEndpoint("hang");
    const { id: companyId } = await aCompany();
    for (let i = 0; i < endpoints; i++)
      await dueEvents(await aWebhook(companyId, { endpoint: hanging.url }), each);

    const deliverer = await aDeliverer();
    const found = await latencies(healthy, 60);
    const inFlight = hanging.received.length;
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    await deliverer.stop();

    // The API promises the first attempt within seconds of the event.
    expect(found.at(-1)).toBeLessThan(5000);
    expect(found[30]).toBeLessThan(1000);
    // A few events of each endpoint were attempted, and nearly all others still wait.
    expect(inFlight).toBeLessThanOrEqual(endpoints * 10);
    expect(await db().$count(webhookAttempts, sql`error = 'timeout'`)).toBeLessThan(500);
  },
);
