import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import { requireAccepted, isAccepted } from "./internal/require-accepted.ts";

/**
 * Accepts an email that an admin sends from the console. The same rules apply as for API keys: service
 * switch, invoice, subscription, domains, suppressions and limits. The email and the audit log name the admin.
 *
 * @throws Refusal `service_disabled` or `account_suspended`, and all that `sendEmail` throws
 */
export async function sendFromConsole(
  ctx: Context,
  input: EmailInput,
  keyLock: KeyLock | null = null,
): Promise<{ id: string }> {
  const { actor } = ctx;
  if (actor.kind !== "admin") throw new Error("Only admins can send from the console");
  await requireCompanyCanSend(ctx);
  const [result] = await acceptEmails(ctx.db, {
    companyId: ctx.companyId,
    key: null,
    emails: [input],
    allOrNone: true,
    keyLock,
    toAnswer: ([result]) => (isAccepted(result!) ? { id: result.id } : null),
    sentBy: { ...ctx, actor },
  });
  const id = requireAccepted(result!);
  wakePump(ctx.db);
  return { id };
}

/** The checks that each call with an API key passes first. */
async function requireCompanyCanSend(ctx: Context): Promise<void> {
  const [company] = await ctx.db
    .select({
      serviceEnabled: companies.serviceEnabled,
      suspendedAt: companies.suspendedAt,
      overdueInvoice: companies.overdueInvoice,
    })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  if (!company?.serviceEnabled || company.suspendedAt)
    throw new Refusal("service_disabled", "The email service is turned off for this company");
  if (!company.overdueInvoice) return;
  const { number, paymentUrl } = company.overdueInvoice;
  throw new Refusal("account_suspended", `Invoice ${number} is overdue. Pay it at ${paymentUrl}`);
}
