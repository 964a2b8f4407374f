import { and, eq, lte, sql } from "drizzle-orm";

import { templates, templateVersions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { VERSIONS_KEPT } from "./limits.ts";
import { lockTemplate } from "./require-template.ts";

/**
 * Publishes the draft: emails accepted from now on use it. Without a draft, nothing changes. Deletes the oldest
 * versions beyond those kept.
 *
 * @throws Refusal `not_found`
 */
export function publishTemplate(ctx: Context, idOrAlias: string): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const { template, current } = await lockTemplate(ctx, idOrAlias);
    const { id, name } = template;
    if (template.publishedVersionId === current.id) return { id };
    await ctx.db
      .update(templateVersions)
      .set({ publishedAt: sql`clock_timestamp()` })
      .where(eq(templateVersions.id, current.id));
    await ctx.db
      .update(templates)
      .set({ publishedVersionId: current.id })
      .where(eq(templates.id, id));
    await ctx.db
      .delete(templateVersions)
      .where(
        and(
          eq(templateVersions.templateId, id),
          lte(templateVersions.number, current.number - VERSIONS_KEPT),
        ),
      );
    await recordAudit(ctx, "template.published", { template: id, name, version: current.number });
    return { id };
  });
}
