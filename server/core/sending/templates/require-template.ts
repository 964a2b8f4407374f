import { aliasedTable, and, eq, type SQL } from "drizzle-orm";

import {
  type Template,
  type TemplateVersion,
  templates,
  templateVersions,
} from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** A template with its newest version. */
export type TemplateWithContent = {
  template: Template;
  current: TemplateVersion;
  /** When the version that emails use was published. */
  publishedAt: string | null;
};

/** Condition for the company's template with this ID or alias. An alias never looks like an ID. */
export const isTemplate = ({ companyId }: CompanyScope, idOrAlias: string): SQL =>
  and(
    eq(templates.companyId, companyId),
    isUuid(idOrAlias) ? eq(templates.id, idOrAlias) : eq(templates.alias, idOrAlias),
  )!;

const published = aliasedTable(templateVersions, "published");

/**
 * Returns the company's template with this ID or alias.
 *
 * @throws Refusal `not_found`
 */
export async function getTemplate(
  ctx: CompanyScope,
  idOrAlias: string,
): Promise<TemplateWithContent> {
  const rows = await ctx.db
    .select({ template: templates, current: templateVersions, publishedAt: published.publishedAt })
    .from(templates)
    .innerJoin(templateVersions, eq(templateVersions.id, templates.currentVersionId))
    .leftJoin(published, eq(published.id, templates.publishedVersionId))
    .where(isTemplate(ctx, idOrAlias));
  const [found] = rows as TemplateWithContent[];
  if (!found) throw templateNotFound();
  return found;
}

/** Like `getTemplate`, and locks the template until the transaction ends. */
export async function lockTemplate(
  ctx: CompanyScope,
  idOrAlias: string,
): Promise<TemplateWithContent> {
  // Lock first, so that the newest version is read after a change at the same time.
  const [locked] = await ctx.db
    .select({ id: templates.id })
    .from(templates)
    .where(isTemplate(ctx, idOrAlias))
    .for("update");
  if (!locked) throw templateNotFound();
  return getTemplate(ctx, locked.id);
}

export const templateNotFound = () => new Refusal("not_found", "Template not found");
