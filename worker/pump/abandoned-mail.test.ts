import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { emails, messages, outbox } from "#drizzle/schema/index.ts";
import { leaseDueMessages } from "#server/core/sending/messages/lease-due-messages.ts";
import {
  leaseDueEmails,
  type LeasedTable,
  releaseLeases,
} from "#server/core/sending/outbox/email-leases.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import {
  acceptAll,
  aScriptedCarrier,
  messagePumps,
  pumpOptions,
} from "#server/testing/message-pump.ts";
import { aQueuedEmail, aSender, type Sender } from "#server/testing/queued-emails.ts";
import { emailSource } from "#worker/pump/email-source.ts";
import { Pump } from "#worker/pump/pump.ts";

const pumps = messagePumps();
let sender: Sender;
beforeEach(async () => {
  await db().delete(emails);
  await db().delete(messages);
  sender = await aSender();
});

describe.each([
  {
    queue: "outbox" as LeasedTable,
    lease: leaseDueEmails,
    add: (to: string) => aQueuedEmail(sender, to),
    reasons: sql`select type::text as result, message as reason from email_events where type <> 'sent' order by id`,
  },
  {
    queue: "message_recipients" as LeasedTable,
    lease: leaseDueMessages,
    add: (to: string) => anAcceptedMessage({ companyId: sender.companyId, to: [to] }),
    reasons: sql`
      select 'delivery_delayed' as result, reply as reason from message_delays
      union all select state::text, reply from message_recipients where state = 'bounced'`,
  },
])("$queue", ({ queue, lease, add, reasons }) => {
  const change = (changes: ReturnType<typeof sql>) =>
    db().execute(sql`update ${sql.identifier(queue)} set ${changes}`);

  /** Workers that lease all rows and are killed, one after the other. */
  async function killWorkers(count: number) {
    for (let killed = 0; killed < count; killed++) {
      await change(sql`next_attempt_at = clock_timestamp()`);
      const room = { light: 1e9, heavy: 1e9 };
      expect(await lease(db(), { owner: randomUUID(), limit: 10, room })).not.toEqual([]);
      await change(sql`lease_until = clock_timestamp() - interval '1 second'`);
    }
  }

  async function startPumps() {
    const { carrier, deliveries } = aScriptedCarrier(acceptAll);
    await pumps.start({ carrier, pollMs: 100 });
    return () => deliveries.flatMap(({ recipients }) => recipients);
  }

  const DELAY = { result: "delivery_delayed", reason: "Delivery was interrupted repeatedly" };

  test("mail is delivered at once after its worker was killed", async () => {
    await add("ann@there.test");
    await killWorkers(1);
    const delivered = await startPumps();
    await vi.waitFor(() => expect(delivered()).toEqual(["ann@there.test"]));
  });

  test("mail whose workers were killed twice waits for a retry, and other mail is delivered", async () => {
    await add("ann@there.test");
    await killWorkers(2);
    await add("bob@there.test");
    const delivered = await startPumps();
    await vi.waitFor(() => expect(delivered()).toEqual(["bob@there.test"]));
    await vi.waitFor(async () => expect(await db().execute(reasons)).toContainEqual(DELAY));
    await change(sql`next_attempt_at = clock_timestamp()`);
    await vi.waitFor(() => expect(delivered()).toEqual(["bob@there.test", "ann@there.test"]));
  });

  test("mail whose worker let its leases expire on purpose is delivered at once", async () => {
    await add("ann@there.test");
    for (let expired = 0; expired < 2; expired++) {
      await change(sql`next_attempt_at = clock_timestamp()`);
      const owner = randomUUID();
      const leased = await lease(db(), { owner, limit: 10, room: { light: 1e9, heavy: 1e9 } });
      const ids = leased.flatMap(({ recipients }) => recipients.map(({ rowId }) => rowId));
      await releaseLeases(db(), owner, ids, { queue, isDue: false });
      expect(await lease(db(), { owner, limit: 10, room: { light: 1e9, heavy: 1e9 } })).toEqual([]);
      await change(sql`lease_until = clock_timestamp() - interval '1 second'`);
    }
    const delivered = await startPumps();
    await vi.waitFor(() => expect(delivered()).toEqual(["ann@there.test"]));
  });

  test("mail that kills a worker in every attempt bounces in the end", async () => {
    await add("ann@there.test");
    await killWorkers(2);
    const delivered = await startPumps();
    await vi.waitFor(async () => expect(await db().execute(reasons)).toEqual([DELAY]));
    await change(sql`created_at = created_at - interval '1 month', lease_owner = gen_random_uuid(),
      lease_until = clock_timestamp() - interval '1 second'`);
    const bounce = { ...DELAY, result: "bounced" };
    await vi.waitFor(async () => expect(await db().execute(reasons)).toEqual([DELAY, bounce]));
    expect(delivered()).toEqual([]);
  });
});

test.each(["filter", "signer"])(
  "mail whose preparation failed at %s doesn't count as abandoned",
  async (step) => {
    await aQueuedEmail(sender, "ann@there.test");
    const options = pumpOptions({ carrier: aScriptedCarrier(acceptAll).carrier });
    const fail = () => {
      throw new Error("no database");
    };
    const pump = new Pump({ ...emailSource(options), [step]: fail }, options);
    await pump.start();
    const released = sql`lease_owner is null and lease_until > clock_timestamp()`;
    await vi.waitFor(async () => expect(await db().$count(outbox, released)).toBe(1));
    await pump.stop();
  },
);
