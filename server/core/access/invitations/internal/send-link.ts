import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** Emails to addresses that anybody may have typed: no more of them from one company within an hour. */
const PER_HOUR_MAX = 100;
const MAILED = ["invitation.created", "invitation.resent"];

/**
 * Has the link sent to the person who is asked. Called inside the transaction that makes the token, so
 * that it goes out exactly when it is good for something.
 */
export async function sendLink(
  { db, companyId }: Context,
  { invitationId, token }: { invitationId: string; token: string },
): Promise<void> {
  const notice = { kind: "invitation" as const, invitationId, sealedToken: seal(token) };
  await enqueue(db, "send_notice", { id: uuidv7(), companyId, notice });
}

/**
 * Asked under `lockTeam`, before another invitation goes out.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function requireFewMails({ db, companyId }: Context): Promise<void> {
  const sent = and(
    eq(auditEntries.companyId, companyId),
    gt(auditEntries.createdAt, sql`statement_timestamp() - interval '1 hour'`),
    inArray(auditEntries.action, MAILED),
  );
  if ((await db.$count(auditEntries, sent)) >= PER_HOUR_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `A company sends at most ${PER_HOUR_MAX} invitations an hour. Try again later`,
    );
}
