import { randomUUID } from "node:crypto";

import { type SQL, sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { recordMessageOutcomes } from "#server/core/mail/outcomes/record-message-outcomes.ts";
import type { Operator } from "#server/core/operations/companies/operator-context.ts";
import { LEASE_SECONDS } from "#server/core/sending/outbox/lease-due-emails.ts";
import { recordOutcomes } from "#server/core/sending/outbox/record-outcomes.ts";
import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { auditContext } from "./hold.ts";
import { isOnHold, type Subject } from "./holds.ts";
import { matchesSubject } from "./internal/match-subject.ts";
import { readSubject } from "./read-subject.ts";

/** The reply recorded for dropped mail. */
export const DROPPED = "The operator of the mail server put this message on hold and dropped it";
// Per call, so that the caller can show progress.
const BATCH = 2_000;

/**
 * Drops the queued mail of a subject that is on hold: emails get a `failed` event for each recipient, which is
 * published to webhooks; messages bounce. At most 2,000 recipients of each queue per call.
 *
 * @returns the number of dropped recipients, and whether all are done
 * @throws Refusal `not_allowed` if the subject isn't on hold
 */
export async function dropWaiting(
  operator: Operator,
  asked: Subject,
): Promise<{ dropped: number; isDone: boolean }> {
  const { name, ...subject } = await readSubject(operator.db, asked);
  const { db } = operator;
  if (!(await isOnHold(db, subject)))
    throw new Refusal("not_allowed", `${name} is not on hold. Only mail on hold can be dropped`);
  const owner = randomUUID();
  const emails = await leaseWaiting(db, owner, { queue: "outbox", subject });
  await recordOutcomes(
    db,
    owner,
    emails.map((row) => ({ ...row, emailId: row.of, type: "failed", reason: DROPPED })),
  );
  const messages = await leaseWaiting(db, owner, { queue: "message_recipients", subject });
  await recordMessageOutcomes(
    db,
    { owner, hostname: config().hostname },
    messages.map((row) => ({
      ...{ ...row, messageId: row.of, result: "bounced", delivery: "relayed" },
      // Rejected by the server's policy (RFC 3463, 3.8).
      ...{ dsn: "5.7.1", host: null, reply: DROPPED },
    })),
  );
  const dropped = emails.length + messages.length;
  const ctx = await auditContext(operator, subject);
  if (dropped > 0)
    await recordAudit(ctx, "queue.dropped", { kind: subject.kind, name, recipients: dropped });
  return { dropped, isDone: emails.length < BATCH && messages.length < BATCH };
}

type LeasedRow = { rowId: string; of: string; recipient: string; attempt: number };

/** Leases rows as a worker does, because only the lease's owner can record outcomes. */
function leaseWaiting(
  db: Db,
  owner: string,
  { queue, subject }: { queue: Queue; subject: Subject },
) {
  const isQueued: SQL = queue === "outbox" ? sql`true` : sql`q.state = 'queued'`;
  const parent = sql.identifier(queue === "outbox" ? "email_id" : "message_id");
  const wanted =
    subject.kind === "company" ? sql`${subject.subject}::uuid` : sql`${subject.subject}`;
  return db.execute<LeasedRow>(sql`
    with waiting as materialized (
      select id from ${sql.identifier(queue)} q
      where lease_until is null and ${isQueued} and ${matchesSubject(queue, wanted, subject.kind)}
      limit ${BATCH} for update skip locked
    )
    update ${sql.identifier(queue)} set lease_owner = ${owner}::uuid,
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where id = any(array(select id from waiting))
    returning id::text as "rowId", ${parent} as of, recipient, attempt`);
}
