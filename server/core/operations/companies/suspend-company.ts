import { eq, inArray, sql } from "drizzle-orm";

import { admins, mailboxes, mailboxSessions, sessions } from "#drizzle/schema/index.ts";
import { scheduleCompanyMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changeCompany } from "./change-company.ts";

/**
 * Suspends a company: API keys stop working, sign-in is blocked and all sessions end, including those of mail apps.
 * Queued mail is on hold until the company is restored or an operator drops the mail. Mailboxes still receive.
 *
 * @throws Refusal `not_allowed` for the appliance's own company
 */
export async function suspendCompany(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isNew = await changeCompany(ctx, ({ purpose, suspendedAt }) => {
      if (purpose === "platform")
        throw new Refusal(
          "not_allowed",
          "This company can't be suspended because Posthouse sends its own notices as this company",
        );
      if (suspendedAt) return null;
      return {
        set: { suspendedAt: sql`clock_timestamp()` as unknown as string },
        action: "company.suspended",
      };
    });
    if (isNew) await endSessions(ctx);
  });
}

/** Ends a suspension. */
export async function restoreCompany(ctx: Context): Promise<void> {
  await changeCompany(ctx, ({ suspendedAt }) =>
    suspendedAt ? { set: { suspendedAt: null }, action: "company.restored" } : null,
  );
}

async function endSessions(ctx: Context): Promise<void> {
  const { db, companyId } = ctx;
  const its = db.select({ id: admins.id }).from(admins).where(eq(admins.companyId, companyId));
  await db.delete(sessions).where(inArray(sessions.userId, its));
  await db
    .delete(mailboxSessions)
    .where(
      inArray(
        mailboxSessions.userId,
        db
          .select({ address: mailboxes.address })
          .from(mailboxes)
          .where(eq(mailboxes.companyId, companyId)),
      ),
    );
  await scheduleCompanyMailAppEnd(ctx);
}
