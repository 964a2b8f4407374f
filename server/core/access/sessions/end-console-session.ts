import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endSessionsOfPerson, findListedSession, ownSessions } from "./console-sessions.ts";
import { endSession, type SignedIn } from "./sessions.ts";

/**
 * Ends one of the person's own sessions, in any company.
 *
 * @param name the session's listed id
 * @throws Refusal `not_found`
 */
export async function endOwnSession(
  ctx: Context,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findListedSession(ctx.db, ownSessions(signedIn), name);
    if (!found) throw new Refusal("not_found", "Session not found");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email: found.email, sessions: 1 });
  });
}

/** Ends all of the person's sessions except the current one and returns their number. */
export async function endOwnOtherSessions(
  ctx: Context,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId" | "sessionId">,
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const { email, ...scope } = ownSessions(signedIn);
    const ended = await endSessionsOfPerson(ctx.db, email, {
      ...scope,
      keptId: signedIn.sessionId,
    });
    if (ended > 0) await recordAudit(ctx, "session.ended", { email, sessions: ended });
    return ended;
  });
}

/**
 * Ends a session of another admin of the company.
 *
 * @throws Refusal `not_found`; `invalid_permission` for an owner's session, which only owners can end
 */
export async function endSessionInCompany(
  ctx: Context,
  { isOwner }: Pick<SignedIn, "isOwner">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findListedSession(ctx.db, { companyId: ctx.companyId }, name);
    if (!found) throw new Refusal("not_found", "Session not found");
    if (found.isOwner && !isOwner)
      throw new Refusal("invalid_permission", "Only an owner can end an owner's session");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email: found.email, sessions: 1 });
  });
}
