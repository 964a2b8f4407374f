import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { auditEntries } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** Limits how much mail a company can send to addresses that an admin merely typed. */
const PER_HOUR_MAX = 100;
const MAILED = ["invitation.created", "invitation.resent"];

/**
 * Enqueues the email with the link. Call in the transaction that stores the token, so that a link is emailed
 * only if it works.
 */
export async function enqueueInvitation(
  { db, companyId }: Context,
  { invitationId, token }: { invitationId: string; token: string },
): Promise<void> {
  const notice = {
    kind: "invitation" as const,
    invitationId,
    sealedToken: seal("invitation", token),
  };
  await enqueue(db, "send_notice", { id: uuidv7(), companyId, notice });
}

/**
 * Enforces the hourly limit on invitation emails. Call under `lockTeam`.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function requireInvitationRate({ db, companyId }: Context): Promise<void> {
  const sent = and(
    eq(auditEntries.companyId, companyId),
    gt(auditEntries.createdAt, sql`statement_timestamp() - interval '1 hour'`),
    inArray(auditEntries.action, MAILED),
  );
  if ((await db.$count(auditEntries, sent)) >= PER_HOUR_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `A company can send at most ${PER_HOUR_MAX} invitations an hour. Try again later`,
    );
}
