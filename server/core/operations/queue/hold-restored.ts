import { eq, sql } from "drizzle-orm";

import { queueHolds } from "#drizzle/schema/index.ts";
import { TEST_DESTINATION } from "#server/core/sending/outbox/queue-rows.ts";
import type { Db } from "#server/db/client.ts";

import { hold, release } from "./hold.ts";
import { rowCompanyId } from "./internal/match-subject.ts";

/** Recorded instead of an operator, so that only a restore's holds are listed and released together. */
const RESTORE = "posthouse restore";

/** A company with mail on hold since a restore, in recipients and scheduled emails. */
export type RestoredHold = { id: string; name: string; queued: number; scheduled: number };

/**
 * Puts the outgoing mail of each company on hold that has mail waiting in a restored database: it may have been sent or
 * canceled after the restore point. The appliance's own notices go out: one that comes twice does no harm.
 *
 * @param restorePoint the time of the restored data, in ISO 8601
 * @returns the companies' names
 */
export async function holdRestored(db: Db, restorePoint: string): Promise<string[]> {
  const operator = { db, now: () => new Date(), email: RESTORE };
  const time = `${restorePoint.slice(0, 16).replace("T", " ")} UTC`;
  const reason = `Restored to ${time}. Mail that was waiting may have been sent or canceled since then`;
  const found = await listWaiting(
    db,
    sql`c.purpose <> 'platform'
    and not exists (select from queue_holds h where h.kind = 'company' and h.subject = c.id::text)`,
  );
  for (const { id } of found) await hold(operator, { kind: "company", subject: id, reason });
  return found.map(({ name }) => name);
}

/** The companies whose mail is on hold since a restore. */
export const listRestoredHolds = (db: Db): Promise<RestoredHold[]> =>
  listWaiting(
    db,
    sql`c.id::text in (
      select subject from queue_holds where kind = 'company' and held_by = ${RESTORE})`,
    { isEmptyListed: true },
  );

/** Ends all holds of a restore. Returns the companies' names. */
export async function releaseRestored(db: Db): Promise<string[]> {
  const found = await listRestoredHolds(db);
  const operator = { db, now: () => new Date(), email: RESTORE };
  for (const { id } of found) await release(operator, { kind: "company", subject: id });
  // Holds of companies that were deleted since.
  await db.delete(queueHolds).where(eq(queueHolds.heldBy, RESTORE));
  return found.map(({ name }) => name);
}

function listWaiting(
  db: Db,
  isWanted: ReturnType<typeof sql>,
  { isEmptyListed = false } = {},
): Promise<RestoredHold[]> {
  return db.execute<RestoredHold>(sql`
    with waiting as materialized (
      select ${rowCompanyId("outbox")} as company_id, count(*) as queued, 0 as scheduled
      from outbox q where destination <> ${TEST_DESTINATION} group by 1
      union all
      select ${rowCompanyId("message_recipients")}, count(*), 0
      from message_recipients q where state = 'queued' group by 1
      union all
      select company_id, 0, count(*) from emails where due_at is not null and not is_test group by 1
    )
    select c.id, c.name, coalesce(sum(queued), 0)::int as queued, coalesce(sum(scheduled), 0)::int as scheduled
    from companies c left join waiting w on w.company_id = c.id
    where ${isWanted} group by c.id having ${isEmptyListed} or count(w) > 0
    order by lower(c.name), c.id`);
}
