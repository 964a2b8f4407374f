import { sql } from "drizzle-orm";

import { emailEvents, outbox } from "#drizzle/schema/index.ts";
import { hold } from "#server/core/operations/queue/holds.ts";
import { db } from "#server/db/pool.ts";

import { aDomain } from "./factories.ts";
import { anOperator } from "./operators.ts";
import { queuedEmails } from "./queued-emails.ts";

/** Mail that is delayed to one destination, in flight to another, and on hold to a third. */
export async function aQueueInEveryState(companyId: string) {
  const domain = await aDomain(companyId);
  const sender = { id: domain.id, name: domain.name, companyId };
  const later = sql`clock_timestamp() + interval '14 minutes'`;
  const names = ["ann", "ben", "cay"].map((name) => `${name}@slow.example`);
  const slow = await queuedEmails(
    sender,
    names.map((name) => [name]),
    { due: later },
  );
  await queuedEmails(sender, [["dan@quick.example"]], { due: later });
  await queuedEmails(sender, [["eve@held.example"], ["fay@held.example"]], {
    due: sql`'infinity'::timestamptz`,
  });
  await db()
    .update(outbox)
    .set({ attempt: 3 })
    .where(sql`destination = 'slow.example'`);
  await db()
    .insert(emailEvents)
    .values(
      slow.map((emailId, at) => ({
        emailId,
        companyId,
        type: "delivery_delayed" as const,
        recipient: names[at]!,
        dsn: "4.7.1",
        message: "451 4.7.1 Greylisted, please try again in 300 seconds",
      })),
    );
  await hold(anOperator("olga@harbour.example"), {
    kind: "destination",
    subject: "held.example",
    reason: "Their postmaster asked us to wait until Monday",
  });
}
