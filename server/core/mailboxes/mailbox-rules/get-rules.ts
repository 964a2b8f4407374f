import { and, eq } from "drizzle-orm";

import { mailboxes, mailboxRules } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { Rules } from "./compile-rules.ts";

export const NO_RULES: Rules = { forwardTo: [], keepCopy: true, vacation: null, filters: [] };

/**
 * Reads a mailbox's rules for incoming mail.
 *
 * @throws Refusal `not_found` if the company has no such mailbox
 */
export async function getRules(ctx: Context, mailbox: string): Promise<Rules> {
  const [found] = await ctx.db
    .select({ rules: mailboxRules })
    .from(mailboxes)
    .leftJoin(mailboxRules, eq(mailboxRules.mailbox, mailboxes.address))
    .where(and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "Mailbox not found");
  if (!found.rules) return NO_RULES;
  const { forwardTo, keepCopy, vacation, filters } = found.rules;
  return { forwardTo, keepCopy, vacation, filters };
}
