import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockCompany } from "./lock-company.ts";

const NAME_MAX = 200;

/**
 * Changes what the company is called.
 *
 * @throws Refusal `invalid` beginning with `name`
 */
export async function renameCompany(ctx: Context, text: string): Promise<void> {
  const name = text.trim();
  if (name.length < 1 || name.length > NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
    throw new Refusal("invalid", `name: must have 1 to ${NAME_MAX} characters, on one line`);
  await inTransaction(ctx, async (ctx) => {
    const { name: from } = await lockCompany(ctx);
    if (from === name) return;
    await ctx.db.update(companies).set({ name }).where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.renamed", { from, to: name });
  });
}
