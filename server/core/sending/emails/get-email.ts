import { and, eq, type SQL } from "drizzle-orm";

import { type Email, type EmailBody, emailBodies, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

// Excludes the source, which can be 35 MB; load-source.ts reads it where needed.
const bodyColumns = {
  emailId: emailBodies.emailId,
  addressHeaders: emailBodies.addressHeaders,
  html: emailBodies.html,
  text: emailBodies.text,
  headers: emailBodies.headers,
  createdAt: emailBodies.createdAt,
};

/** Condition for the company's email with this id, a UUID, in the caller's mode. */
export const isEmail = (ctx: Context, id: string): SQL | undefined =>
  and(eq(emails.id, id), eq(emails.companyId, ctx.companyId), inMode(ctx, emails.isTest));

/**
 * Returns an email of the company, with its body while that is retained.
 *
 * @throws Refusal `not_found`
 */
export async function getEmail(
  ctx: Context,
  id: string,
): Promise<{ email: Email; body: Omit<EmailBody, "source"> | null }> {
  const [found] = await ctx.db
    .select({ email: emails, body: bodyColumns })
    .from(emails)
    .leftJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .where(isEmail(ctx, id));
  if (!found) throw new Refusal("not_found", "Email not found");
  return found;
}
