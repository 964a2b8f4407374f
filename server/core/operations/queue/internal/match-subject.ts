import { type SQL, sql } from "drizzle-orm";

import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";

import type { Subject } from "#server/core/operations/queue/holds.ts";

/**
 * The condition that a row of a queue with alias `q` belongs to a destination or company.
 *
 * @param subject the destination or the company's id
 */
export function matchesSubject(queue: Queue, subject: SQL, kind: Subject["kind"]): SQL {
  if (kind === "destination") return sql`q.destination = ${subject}`;
  return sql`${rowCompanyId(queue)} = ${subject}`;
}

/** The company id of a row of a queue with alias `q`. */
export const rowCompanyId = (queue: Queue): SQL =>
  queue === "outbox"
    ? sql`coalesce(q.company_id, (select company_id from emails where emails.id = q.email_id))`
    : sql`(select company_id from messages where messages.id = q.message_id)`;
