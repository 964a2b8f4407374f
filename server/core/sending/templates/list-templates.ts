import { and, desc, eq, getTableColumns } from "drizzle-orm";

import { templates, templateVersions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { countNewestFirst } from "#server/core/shared/paging/count-newest-first.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";

import { getTemplate } from "./require-template.ts";

export type ListedTemplate = typeof templates.$inferSelect & {
  /** Of the published version. */
  publishedAt: string | null;
};

/**
 * Returns a page of the company's templates, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is not a template of the company
 */
export async function listTemplates(
  ctx: Context,
  page: PageRequest,
): Promise<Page<ListedTemplate>> {
  const list = pageNewestFirst(ctx.db, templates, inList(ctx), page);
  const rows = await ctx.db
    .select({ ...getTableColumns(templates), publishedAt: templateVersions.publishedAt })
    .from(templates)
    .leftJoin(templateVersions, eq(templateVersions.id, templates.publishedVersionId))
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

/** @param first the first template of the page */
export const countTemplates = (ctx: Context, first: ListedTemplate | undefined) =>
  countNewestFirst(ctx.db, templates, { inList: inList(ctx) }, first);

const inList = (ctx: Context) => eq(templates.companyId, ctx.companyId);

/**
 * Returns the versions of a template that are kept, newest first.
 *
 * @throws Refusal `not_found`
 */
export async function listVersions(ctx: Context, idOrAlias: string) {
  const { template } = await getTemplate(ctx, idOrAlias);
  const { number, subject, html, text, variables, publishedAt, updatedAt, id } = templateVersions;
  const versions = await ctx.db
    .select({ id, number, subject, html, text, variables, publishedAt, updatedAt })
    .from(templateVersions)
    .where(
      and(
        eq(templateVersions.companyId, ctx.companyId),
        eq(templateVersions.templateId, template.id),
      ),
    )
    .orderBy(desc(number));
  return versions.map((version) => ({
    ...version,
    isPublished: version.id === template.publishedVersionId,
  }));
}
