import { and, eq } from "drizzle-orm";

import { queueHolds } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { inTransaction } from "#server/core/shared/context.ts";
import {
  operatorContext,
  applianceContext,
  type Operator,
} from "#server/core/operations/companies/operator-context.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { isSuspended, type Subject } from "./holds.ts";
import { readSubject } from "./read-subject.ts";

const REASON_MAX = 300;

/**
 * Puts all mail to a destination or from a company on hold. Takes effect within two seconds; deliveries in progress
 * still complete. If the subject is already on hold, replaces the reason.
 *
 * @throws Refusal `invalid`, `not_found`
 */
export async function hold(
  operator: Operator,
  asked: Subject & { reason: string },
): Promise<Subject> {
  const { kind, subject, name } = await readSubject(operator.db, asked);
  const reason = readReason(asked.reason);
  const ctx = await auditContext(operator, { kind, subject });
  await inTransaction(ctx, async (ctx) => {
    await ctx.db
      .insert(queueHolds)
      .values({ kind, subject, reason, heldBy: operator.email })
      .onConflictDoUpdate({
        target: [queueHolds.kind, queueHolds.subject],
        set: { reason, heldBy: operator.email },
      });
    await recordAudit(ctx, "queue.held", { kind, name, reason });
  });
  return { kind, subject };
}

/**
 * Ends a hold: parked mail is due at once, and its retries start over. Mail that another hold covers
 * stays on hold.
 *
 * @throws Refusal `invalid`, `not_found` if it isn't on hold, `not_allowed` for a suspended company
 */
export async function release(operator: Operator, asked: Subject): Promise<void> {
  const { kind, subject, name } = await readSubject(operator.db, asked);
  const ctx = await auditContext(operator, { kind, subject });
  await inTransaction(ctx, async (ctx) => {
    const [ended] = await ctx.db
      .delete(queueHolds)
      .where(and(eq(queueHolds.kind, kind), eq(queueHolds.subject, subject)))
      .returning({ id: queueHolds.id });
    if (!ended) throw await notOnHoldError(ctx.db, { kind, subject, name });
    await recordAudit(ctx, "queue.released", { kind, name });
  });
  wakePump(operator.db);
  wakeMessages(operator.db);
}

async function notOnHoldError(db: Db, { kind, subject, name }: Subject & { name: string }) {
  if (kind === "company" && (await isSuspended({ db, companyId: subject })))
    return new Refusal("not_allowed", `${name} is suspended. Restore it to release its mail`);
  return new Refusal("not_found", `${name} is not on hold`);
}

/** The context for the audit log entry: the company's, or the appliance's for a destination. */
export function auditContext(operator: Operator, { kind, subject }: Subject) {
  return kind === "company" ? operatorContext(operator, subject) : applianceContext(operator);
}

const readReason = (text: string): string =>
  readOneLine(text, "reason", { min: 0, max: REASON_MAX });
