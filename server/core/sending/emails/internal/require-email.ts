import { emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isEmail } from "#server/core/sending/emails/get-email.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** @throws Refusal `not_found` unless the company has an email with this id */
export async function requireEmail(ctx: Context, id: string): Promise<void> {
  const [email] = await ctx.db.select({ id: emails.id }).from(emails).where(isEmail(ctx, id));
  if (!email) throw new Refusal("not_found", "Email not found");
}
