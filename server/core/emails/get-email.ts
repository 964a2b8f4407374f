import { and, eq } from "drizzle-orm";

import { type Email, type EmailBody, emailBodies, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

/**
 * An email of the company with its body, as long as that is kept.
 *
 * @throws Refusal `not_found`
 */
export async function getEmail(
  ctx: Context,
  id: string,
): Promise<{ email: Email; body: EmailBody | null }> {
  const [found] = await ctx.db
    .select({ email: emails, body: emailBodies })
    .from(emails)
    .leftJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .where(and(eq(emails.id, id), eq(emails.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "Email not found");
  return found;
}
