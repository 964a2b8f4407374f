import { eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import {
  companies,
  emailBodies,
  emailEvents,
  emails,
  sendingTotals,
} from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { changeTotals, lockTotals } from "#server/core/sending/quotas/totals.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, aDomain, anApiKey } from "./factories.ts";

export type Scheduling = Awaited<ReturnType<typeof aSchedulingCompany>>;

/** A company with a verified domain, and a key that schedules emails from it. */
export async function aSchedulingCompany(company: Parameters<typeof aCompany>[0] = {}) {
  const { id: companyId } = await aCompany(company);
  const domain = await aDomain(companyId);
  const key = await anApiKey(companyId);
  return { companyId, domain, key };
}

/**
 * Creates scheduled emails: accepted, pending, counted in the month and in the backlog.
 *
 * @param to the recipients of each email
 * @param due in seconds from now
 * @returns the ids, in the order of `to`
 */
export async function scheduledEmails(
  { companyId, domain, key }: Scheduling,
  to: string[][],
  { due = 3600, createdAt = new Date() } = {},
): Promise<string[]> {
  const made = to.map((recipients) => ({ id: uuidv7(), recipients }));
  const dueAt = sql`statement_timestamp() + make_interval(secs => ${due})`;
  await db().transaction(async (tx) => {
    for (const { id, recipients } of made)
      await Promise.all([
        tx.insert(emails).values({
          id,
          companyId,
          domainId: domain.id,
          apiKeyId: key.id,
          from: `Post House <post@${domain.name}>`,
          subject: `Later ${id}`,
          to: recipients,
          lastEvent: "scheduled" as const,
          eventTypes: eventBits(["scheduled"]),
          createdAt: createdAt.toISOString(),
          scheduledAt: dueAt,
          dueAt,
        }),
        tx.insert(emailBodies).values({
          emailId: id,
          addressHeaders: {
            from: { name: "Post House", address: `post@${domain.name}` },
            to: recipients.map((address) => ({ name: "", address })),
            cc: [],
            replyTo: [],
          },
          text: "Hello",
        }),
        tx.insert(emailEvents).values({ emailId: id, companyId, type: "scheduled" as const }),
      ]);
    const recipients = made.reduce((sum, email) => sum + email.recipients.length, 0);
    await lockTotals(tx, [companyId]);
    await changeTotals(tx, [
      {
        companyId,
        month: { of: `${createdAt.toISOString().slice(0, 7)}-01`, by: recipients },
        scheduled: recipients,
      },
    ]);
  });
  return made.map(({ id }) => id);
}

export async function aScheduledEmail(
  scheduling: Scheduling,
  to: string[] = ["ann@a.example"],
  options: Parameters<typeof scheduledEmails>[2] = {},
): Promise<string> {
  const [id] = await scheduledEmails(scheduling, [to], options);
  return id!;
}

/** The amount that a company's emails count toward each limit now. */
export async function totalsOf(companyId: string) {
  const [totals] = await db()
    .select({
      hour: sendingTotals.hourRecipients,
      month: sendingTotals.monthRecipients,
      scheduled: sendingTotals.scheduledRecipients,
    })
    .from(sendingTotals)
    .where(eq(sendingTotals.scope, companyId));
  return totals ?? { hour: 0, month: 0, scheduled: 0 };
}

/** Changes the company's row, like its operator would. */
export async function changeCompany(
  companyId: string,
  change: Partial<typeof companies.$inferInsert>,
): Promise<void> {
  await db().update(companies).set(change).where(eq(companies.id, companyId));
}
