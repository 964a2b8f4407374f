import { type SQL, sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { inTransaction } from "#server/core/shared/context.ts";
import type { Operator } from "#server/core/operations/companies/operator-context.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Db } from "#server/db/client.ts";

import { auditContext } from "./hold.ts";
import type { Subject } from "./holds.ts";
import { matchesSubject } from "./internal/match-subject.ts";
import { readSubject } from "./read-subject.ts";

/**
 * Makes queued mail due now, and ends the suspensions of its destinations: one message is tried first. Doesn't affect mail on hold, deliveries in progress, or the deadline for giving up.
 *
 * @returns the number of recipients that became due
 * @throws Refusal `invalid`, `not_found`
 */
export async function retryNow(operator: Operator, asked: Subject): Promise<number> {
  const { name, ...subject } = await readSubject(operator.db, asked);
  const ctx = await auditContext(operator, subject);
  const count = await inTransaction(ctx, async (ctx) => {
    const emails = await makeDue(ctx.db, "outbox", subject);
    const messages = await makeDue(ctx.db, "message_recipients", subject);
    const total = emails + messages;
    if (total > 0)
      await recordAudit(ctx, "queue.retried", { kind: subject.kind, name, recipients: total });
    return total;
  });
  wakePump(operator.db);
  wakeMessages(operator.db);
  return count;
}

async function makeDue(db: Db, queue: Queue, { kind, subject }: Subject): Promise<number> {
  const isQueued: SQL = queue === "outbox" ? sql`true` : sql`q.state = 'queued'`;
  const wanted = kind === "company" ? sql`${subject}::uuid` : sql`${subject}`;
  const rows = await db.execute(sql`
    with waiting as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and next_attempt_at > clock_timestamp()
        and next_attempt_at < 'infinity' and ${isQueued} and ${matchesSubject(queue, wanted, kind)}
      order by id for update skip locked
    )
    update ${sql.identifier(queue)}
    set next_attempt_at = clock_timestamp(), retry_asked_at = clock_timestamp()
    where id = any(array(select id from waiting)) returning id`);
  return rows.length;
}
