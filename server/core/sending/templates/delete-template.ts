import { templates } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { isTemplate, templateNotFound } from "./require-template.ts";

/**
 * Deletes a template with its versions. Accepted emails have their content already.
 *
 * @throws Refusal `not_found`
 */
export function deleteTemplate(ctx: Context, idOrAlias: string): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const [deleted] = await ctx.db
      .delete(templates)
      .where(isTemplate(ctx, idOrAlias))
      .returning({ id: templates.id, name: templates.name });
    if (!deleted) throw templateNotFound();
    await recordAudit(ctx, "template.deleted", { template: deleted.id, name: deleted.name });
    return { id: deleted.id };
  });
}
