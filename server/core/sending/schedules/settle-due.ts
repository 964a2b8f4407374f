import { inArray, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { whyNotNow } from "#server/core/sending/outbox/why-not-now.ts";
import { changeTotals } from "#server/core/sending/quotas/change-totals.ts";
import { lockTotals } from "#server/core/sending/quotas/lock-totals.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { endScheduled, givenBack } from "./end-scheduled.ts";
import { fitIntoHour } from "./fit-into-hour.ts";
import { judgeDue } from "./judge-due.ts";
import { type DueEmail, lockDue } from "./lock-due.ts";
import { sendDue } from "./send-due.ts";
import { type AddressedEmail, withoutSuppressed } from "./without-suppressed.ts";

/** Emails settled in one transaction. 5,000 recipients at most: small enough that nobody waits long for its locks. */
const BATCH = 100;

/** How long an email waits that does not fit into the hour, or that the outbox does not take on. */
const WAIT_MINUTES = 5;

/** What became of a batch of due emails, in numbers of emails. */
export type Settled = { ended: number; suppressed: number; handedOver: number; waiting: number };

/**
 * Settles scheduled emails whose time has come, those that have waited longest first, in one
 * transaction: each is handed over to the outbox, or ends as canceled, failed or suppressed, or waits
 * five more minutes for room in the hour or in the outbox. Any number of callers may do so at the same time; one that
 * dies leaves its emails as they were.
 */
export async function settleDue(db: Db): Promise<Settled & { isFull: boolean }> {
  const [limits, problem] = await Promise.all([currentSettings(db), whyNotNow(db)]);
  return db.transaction(async (tx) => {
    const due = await lockDue(tx, BATCH);
    const isFull = due.length === BATCH;
    if (due.length === 0) return { ended: 0, suppressed: 0, handedOver: 0, waiting: 0, isFull };

    const ends = due.flatMap((email) => judgeDue(email) ?? []);
    const ended = new Set(ends.map(({ email }) => email.id));
    const addressed = await withoutSuppressed(
      tx,
      due.filter(({ id }) => !ended.has(id)),
    );
    const suppressed = addressed.filter(({ remaining }) => remaining.length === 0);
    const totals = await lockTotals(tx, [...new Set(due.map(({ companyId }) => companyId))]);
    const able = addressed.filter(({ remaining }) => remaining.length > 0);
    const { fitting, waiting } =
      problem === null ? fitIntoHour(able, totals, limits) : { fitting: [], waiting: able };

    await endScheduled(tx, ends);
    await sendDue(tx, [...suppressed, ...fitting]);
    await postpone(tx, waiting);
    await changeTotals(tx, [
      ...givenBack([...ends, ...suppressed].map(({ email }) => email)),
      ...handedOver(fitting),
    ]);
    return {
      ended: ends.length,
      suppressed: suppressed.length,
      handedOver: fitting.length,
      waiting: waiting.length,
      isFull,
    };
  });
}

async function postpone(db: Db, waiting: AddressedEmail[]): Promise<void> {
  if (waiting.length === 0) return;
  const ids = waiting.map(({ email }) => email.id);
  await db
    .update(emails)
    .set({ dueAt: sql`statement_timestamp() + make_interval(mins => ${WAIT_MINUTES})` })
    .where(inArray(emails.id, ids));
}

function handedOver(sent: AddressedEmail[]) {
  return [...Map.groupBy(sent, ({ email }) => email.companyId)].map(([companyId, group]) => {
    const recipients = countOf(group.map(({ email }) => email));
    return { companyId, hour: recipients, scheduled: -recipients };
  });
}

const countOf = (due: DueEmail[]) => due.reduce((sum, { recipients }) => sum + recipients, 0);
