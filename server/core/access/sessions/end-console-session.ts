import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endSessionsOfPerson, findNamedSession } from "./console-sessions.ts";
import { endSession, type SignedIn } from "./sessions.ts";

/**
 * Ends one of the person's own sessions, in whatever company.
 *
 * @param name as a list names it
 * @throws Refusal `not_found`
 */
export async function endOwnSession(
  ctx: Context,
  { email }: Pick<SignedIn, "email">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findNamedSession(ctx.db, { email }, name);
    if (!found) throw new Refusal("not_found", "Session not found");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email, sessions: 1 });
  });
}

/** Ends all of the person's sessions but this one; how many there were. */
export async function endOwnOtherSessions(
  ctx: Context,
  { email, sessionId }: Pick<SignedIn, "email" | "sessionId">,
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const ended = await endSessionsOfPerson(ctx.db, email, { keptId: sessionId });
    if (ended > 0) await recordAudit(ctx, "session.ended", { email, sessions: ended });
    return ended;
  });
}

/**
 * Ends a session of somebody in the company.
 *
 * @throws Refusal `not_found`; `invalid_permission` for an owner's, which only owners end
 */
export async function endSessionInCompany(
  ctx: Context,
  { isOwner }: Pick<SignedIn, "isOwner">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findNamedSession(ctx.db, { companyId: ctx.companyId }, name);
    if (!found) throw new Refusal("not_found", "Session not found");
    if (found.isOwner && !isOwner)
      throw new Refusal("invalid_permission", "Only an owner may end the session of an owner");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email: found.email, sessions: 1 });
  });
}
